import type { MessageRecord } from '../mail/records.ts';
import { decodeEncodedWords } from '../protocol/encoded-words.ts';
import type { EventControl } from './control-routes.ts';
import { type Html, html } from './html.ts';
import { layout } from './layout.ts';

/** What the list shows. */
export interface ListView {
  to: string;
  subject: string;
  /** From 1. */
  page: number;
  pageSize: number;
  /** Matches of the filter. */
  total: number;
  messages: MessageRecord[];
  events: EventControl['figures'];
}

/** The list of messages, newest first, with the filter and the state of event delivery. */
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
<td>${decodeEncodedWords(message.from)}</td>
<td class="time"><time datetime="${new Date(message.at).toISOString()}">${shortTime(message.at)}</time></td>
</tr>`,
  )}</tbody></table>`;
}

function addresses({ to, cc, bcc }: MessageRecord): string {
  const [first = '', ...others] = [...to, ...cc, ...bcc].map(decodeEncodedWords);
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

/** `2026-11-21 10:48:23`. */
export function shortTime(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}
