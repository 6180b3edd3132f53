import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { EventControl } from '../events/start-events.ts';
import { redirect, sendText } from '../http/answers.ts';
import { HttpProblem } from '../http/http-problem.ts';
import { parseInput } from '../http/read-input.ts';
import type { Route } from '../http/router.ts';
import type { MailStore } from '../mail/mail-store.ts';
import type { SesAttachment } from '../protocol/schemas.ts';
import { listPage } from './list-page.ts';
import { messagePage } from './message-page.ts';
import { findMessage } from './message-routes.ts';
import { presentMessage } from './present-message.ts';

const pageSize = 50;
const listSchema = z.object({
  to: z.string().default(''),
  subject: z.string().default(''),
  page: z.coerce.number().int().min(1).default(1),
});
const messageSchema = z.object({ event: z.enum(['open', 'click', 'bounce', 'complaint']).optional() });

const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; frame-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  // Not no-referrer: the page's forms would then be posted with `Origin: null`.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** The mail's own HTML can neither run scripts nor reach the inbox; its links open in a new tab. */
const mailHeaders = {
  ...pageHeaders,
  'content-security-policy':
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; img-src http: https: data:; style-src 'unsafe-inline' http: https:; font-src http: https: data:",
};

const styles = readFileSync(new URL('./assets/inbox.css', import.meta.url));
const script = readFileSync(new URL('./assets/inbox.js', import.meta.url));

export function pageRoutes(store: MailStore, events: EventControl): Route[] {
  return [
    {
      method: 'GET',
      path: '/',
      handle: ({ response, query }) => {
        const { to, subject, page } = parseInput(listSchema, query);
        const { total, messages } = store.search({ to, subject }, pageSize, (page - 1) * pageSize);
        const records = messages.map(({ line }) => store.readRecord(line));
        const view = { to, subject, page, pageSize, total, messages: records, events: events.figures };
        sendText(response, 200, 'text/html; charset=utf-8', listPage(view), pageHeaders);
      },
    },
    {
      method: 'POST',
      path: '/clear',
      handle: async ({ response }) => {
        await store.clear();
        redirect(response, '/');
      },
    },
    ...messageRoutes(store),
    asset('/assets/inbox.css', 'text/css; charset=utf-8', styles),
    asset('/assets/inbox.js', 'text/javascript; charset=utf-8', script),
  ];
}

function messageRoutes(store: MailStore): Route[] {
  return [
    {
      method: 'GET',
      path: '/messages/:id',
      handle: async ({ response, params, query }) => {
        const { event } = parseInput(messageSchema, query);
        const stored = await store.read(findMessage(store, params.id).line);
        const { configurationSet, tags, events: planned } = stored.record;
        const message = presentMessage(stored);
        const page = messagePage({ message, configurationSet, tags, events: planned, asked: event ?? null });
        sendText(response, 200, 'text/html; charset=utf-8', page, pageHeaders);
      },
    },
    {
      method: 'GET',
      path: '/messages/:id/html',
      handle: async ({ response, params }) => {
        const { record, content } = await store.read(findMessage(store, params.id).line);
        if (content.html === null) throw new HttpProblem(404, 'The message has no HTML part.');
        const body = `<base target="_blank">${withInlineImages(content.html, record.id, content.attachments)}`;
        sendText(response, 200, 'text/html; charset=utf-8', body, mailHeaders);
      },
    },
    {
      method: 'GET',
      path: '/messages/:id/attachments/:index',
      handle: async ({ response, params }) => {
        const { content } = await store.read(findMessage(store, params.id).line);
        const attachment = content.attachments[Number(params.index)];
        if (attachment === undefined) throw new HttpProblem(404, 'The message has no such attachment.');
        const name = encodeURIComponent(attachment.FileName);
        sendText(response, 200, safeType(attachment), Buffer.from(attachment.RawContent, 'base64'), {
          ...mailHeaders,
          'content-disposition': `attachment; filename*=UTF-8''${name}`,
        });
      },
    },
  ];
}

function asset(path: string, contentType: string, content: Buffer): Route {
  return {
    method: 'GET',
    path,
    handle: ({ response }) =>
      sendText(response, 200, contentType, content, {
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-cache',
      }),
  };
}

function withInlineImages(html: string, id: string, attachments: SesAttachment[]): string {
  return html.replace(/\bcid:([^"'\s)>]+)/gi, (reference, contentId: string) => {
    const index = attachments.findIndex(
      (attachment) => attachment.ContentId?.replace(/^<|>$/g, '') === contentId,
    );
    return index === -1 ? reference : `/messages/${id}/attachments/${index}`;
  });
}

/** The sender chose the type; only a plain type is passed on. */
function safeType({ ContentType: contentType }: SesAttachment): string {
  const type = /^[\w.+-]+\/[\w.+-]+/.exec(contentType ?? '')?.[0];
  return type ?? 'application/octet-stream';
}
