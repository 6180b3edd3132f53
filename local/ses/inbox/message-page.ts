import { type Html, html } from '../../../core/html.ts';
import { firstLink } from '../events/first-link.ts';
import type { PlannedEvent } from '../mail/records.ts';
import { layout } from './layout.ts';
import { shortTime } from './list-page.ts';
import type { InboxAttachment, InboxMessage } from './present-message.ts';

export interface MessageView {
  message: InboxMessage;
  configurationSet: string | null;
  tags: Record<string, string>;
  events: PlannedEvent[];
  asked: string | null;
}

const buttons = [
  { type: 'open', label: 'Open' },
  { type: 'click', label: 'Click the first link' },
  { type: 'bounce', label: 'Bounce' },
  { type: 'complaint', label: 'Complain' },
];

export function messagePage(view: MessageView): string {
  const { message } = view;
  return layout(
    message.subject === '' ? '(no subject)' : message.subject,
    html`<p class="back"><a href="/">← All messages</a></p>
<h1>${message.subject === '' ? '(no subject)' : message.subject}</h1>
${view.asked === null ? '' : html`<p class="notice" role="status">The provider reports: ${view.asked}.</p>`}
${envelope(view)}
${eventButtons(view)}
${message.attachments.length === 0 ? '' : attachments(message)}
${
  message.html === null
    ? ''
    : html`<section><h2>HTML</h2><iframe title="HTML of the message" sandbox="allow-popups allow-popups-to-escape-sandbox" src="/messages/${message.id}/html"></iframe></section>`
}
${
  message.text === null
    ? ''
    : html`<section><details ${message.html === null ? html`open` : ''}><summary><h2>Plain text</h2></summary><pre>${message.text}</pre></details></section>`
}
<section><details><summary><h2>Headers</h2></summary><dl class="headers">${Object.entries(
      message.headers,
    ).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></details></section>
${
  message.html === null
    ? ''
    : html`<section><details><summary><h2>HTML source</h2></summary><pre>${message.html}</pre></details></section>`
}`,
  );
}

function envelope({ message, tags, configurationSet, events }: MessageView): Html {
  const rows: [string, string][] = [
    ['From', message.from],
    ['To', message.to.join(', ')],
    ['Cc', message.cc.join(', ')],
    ['Bcc', message.bcc.join(', ')],
    ['Reply-To', message.replyTo ?? ''],
    ['Received', `${shortTime(Date.parse(message.receivedAt))} UTC`],
    [
      'Tags',
      Object.entries(tags)
        .map(([name, value]) => `${name}=${value}`)
        .join(', '),
    ],
    ['Configuration set', configurationSet ?? 'none, so no events'],
    ['Events', events.map(({ type }) => type).join(', ')],
  ];
  return html`<dl class="envelope">${rows
    .filter(([, value]) => value !== '')
    .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function eventButtons({ message, configurationSet }: MessageView): Html {
  if (configurationSet === null) return html``;
  const possible = buttons.filter(({ type }) => type !== 'click' || firstLink(message.html) !== null);
  return html`<section aria-labelledby="events"><h2 id="events">Make the recipient…</h2>
<form class="buttons" method="post" action="/api/messages/${message.id}/events">${possible.map(
    ({ type, label }) => html`<button name="type" value="${type}">${label}</button> `,
  )}</form></section>`;
}

function attachments({ id, attachments: list }: InboxMessage): Html {
  return html`<section><h2>Attachments</h2><ul class="attachments">${list.map(
    (attachment, index) =>
      html`<li><a href="/messages/${id}/attachments/${index}" download>${attachment.filename}</a> <span>${describe(attachment)}</span></li>`,
  )}</ul></section>`;
}

function describe({ contentType, disposition, contentId, size }: InboxAttachment): string {
  const kind = disposition === 'inline' ? `, inline${contentId === null ? '' : ` as cid:${contentId}`}` : '';
  return `${contentType}, ${size.toLocaleString('en')} bytes${kind}`;
}
