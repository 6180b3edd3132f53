import { decodeWords } from 'postal-mime';
import { type Html, html } from '../../../core/html.ts';
import type { EventControl } from '../events/start-events.ts';
import type { MessageRecord } from '../mail/records.ts';
import { layout } from './layout.ts';

export interface ListView {
  to: string;
  subject: string;
  page: number;
  pageSize: number;
  total: number;
  messages: MessageRecord[];
  events: EventControl['figures'];
}

export function listPage(view: ListView): string {
  const { to, subject, total, messages } = view;
  const isFiltered = to !== '' || subject !== '';
  return layout(
    `Inbox (${total})`,
    html`<div class="title"><h1>Inbox</h1>
<form method="post" action="/clear"><button class="quiet" ${total === 0 ? html`disabled` : ''}>Delete all</button></form></div>
<form class="filter" method="get" action="/" role="search">
<label>To <input type="search" name="to" value="${to}" placeholder="part of an address"></label>
<label>Subject <input type="search" name="subject" value="${subject}" placeholder="part of a subject"></label>
<button>Filter</button>${isFiltered ? html` <a href="/">Show all</a>` : ''}
</form>
<div id="live">
<p class="status" role="status">${countText(total, isFiltered)} · ${eventsText(view.events)}</p>
${messages.length === 0 ? emptyNote(isFiltered) : table(messages)}
${pager(view)}
</div>`,
  );
}

function table(messages: MessageRecord[]): Html {
  return html`<table><thead><tr><th scope="col">Subject</th><th scope="col">To</th><th scope="col">From</th><th scope="col">Received (UTC)</th></tr></thead>
<tbody>${messages.map(
    (message) => html`<tr>
<td class="subject"><a href="/messages/${message.id}">${message.subject === '' ? '(no subject)' : message.subject}</a></td>
<td>${addresses(message)}</td>
<td>${decodeWords(message.from)}</td>
<td class="time"><time datetime="${new Date(message.at).toISOString()}">${shortTime(message.at)}</time></td>
</tr>`,
  )}</tbody></table>`;
}

function addresses({ to, cc, bcc }: MessageRecord): string {
  const [first = '', ...others] = [...to, ...cc, ...bcc].map(decodeWords);
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

function emptyNote(isFiltered: boolean): Html {
  return isFiltered
    ? html`<p class="empty">No message matches.</p>`
    : html`<p class="empty">No messages yet. Every email that is sent arrives here.</p>`;
}

function countText(total: number, isFiltered: boolean): string {
  const noun = total === 1 ? 'message' : 'messages';
  return isFiltered ? `${total} matching ${noun}` : `${total} ${noun}`;
}

function eventsText(events: EventControl['figures']): string {
  if (events.webhook === null) return 'events are not delivered: no webhook';
  if (!events.confirmed)
    return `events wait until ${events.webhook} confirms the subscription (${events.queued} queued)`;
  const failed = events.failed > 0 ? `, ${events.failed} given up` : '';
  const paused = events.paused ? 'events are held back: ' : 'events: ';
  return `${paused}${events.delivered} delivered, ${events.queued} queued${failed}`;
}

function pager({ page, pageSize, total, to, subject }: ListView): Html {
  const pages = Math.max(1, Math.ceil(total / pageSize));
  if (pages === 1) return html``;
  const link = (target: number): string => `/?${new URLSearchParams({ to, subject, page: String(target) })}`;
  return html`<nav class="pager" aria-label="Pages">
${page > 1 ? html`<a rel="prev" href="${link(page - 1)}">Newer</a>` : ''}
<span>Page ${page} of ${pages}</span>
${page < pages ? html`<a rel="next" href="${link(page + 1)}">Older</a>` : ''}
</nav>`;
}

export function shortTime(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}
