import { readFileSync } from 'node:fs';
import Router from '@koa/router';
import type { Context } from 'koa';
import { z } from 'zod';
import type { EventControl } from '../events/start-events.ts';
import { HttpProblem, parseInput } from '../http/read-input.ts';
import type { MailStore } from '../mail/mail-store.ts';
import type { SesAttachment } from '../protocol/schemas.ts';
import { listPage } from './list-page.ts';
import { messagePage } from './message-page.ts';
import { readMessage } from './message-routes.ts';
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
  // Not no-referrer: then the page's forms would be posted with `Origin: null`.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** The email's own HTML can neither run scripts nor reach the inbox; its links open in a new tab. */
const mailHeaders = {
  ...pageHeaders,
  'content-security-policy':
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; img-src http: https: data:; style-src 'unsafe-inline' http: https:; font-src http: https: data:",
};

const styles = readFileSync(new URL('./assets/inbox.css', import.meta.url));
const script = readFileSync(new URL('./assets/inbox.js', import.meta.url));

export function pageRoutes(store: MailStore, events: EventControl): Router {
  return new Router()
    .get('/', (ctx) => {
      const { to, subject, page } = parseInput(listSchema, ctx.query);
      const { total, ids } = store.search({ to, subject }, pageSize, (page - 1) * pageSize);
      const messages = ids.map((id) => store.find(id)).filter((message) => message !== undefined);
      ctx.set(pageHeaders);
      ctx.body = listPage({ to, subject, page, pageSize, total, messages, events: events.figures });
    })
    .post('/clear', (ctx) => {
      store.clear();
      ctx.status = 303;
      ctx.redirect('/');
    })
    .get('/messages/:id', async (ctx) => {
      const { event: asked = null } = parseInput(messageSchema, ctx.query);
      const stored = await readMessage(store, ctx.params.id);
      const { configurationSet, tags, events: planned } = stored.record;
      const message = presentMessage(stored);
      ctx.set(pageHeaders);
      ctx.body = messagePage({ message, configurationSet, tags, events: planned, asked });
    })
    .get('/messages/:id/html', async (ctx) => {
      const { record, content } = await readMessage(store, ctx.params.id);
      if (content.html === null) throw new HttpProblem(404, 'The message has no HTML part.');
      ctx.set(mailHeaders);
      ctx.type = 'html';
      ctx.body = `<base target="_blank">${withInlineImages(content.html, record.id, content.attachments)}`;
    })
    .get('/messages/:id/attachments/:index', async (ctx) => {
      const { content } = await readMessage(store, ctx.params.id);
      const attachment = content.attachments[Number(ctx.params.index)];
      if (attachment === undefined) throw new HttpProblem(404, 'The message has no such attachment.');
      const name = encodeURIComponent(attachment.FileName);
      ctx.set(mailHeaders);
      ctx.set('content-type', safeType(attachment));
      ctx.set('content-disposition', `attachment; filename*=UTF-8''${name}`);
      ctx.body = Buffer.from(attachment.RawContent, 'base64');
    })
    .get('/assets/inbox.css', asset('css', styles))
    .get('/assets/inbox.js', asset('js', script));
}

function asset(type: string, content: Buffer) {
  return (ctx: Context) => {
    ctx.type = type;
    ctx.set({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache' });
    ctx.body = content;
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

/** The sender chose the type, so only a plain type is passed on. */
function safeType({ ContentType: contentType }: SesAttachment): string {
  const type = /^[\w.+-]+\/[\w.+-]+/.exec(contentType ?? '')?.[0];
  return type ?? 'application/octet-stream';
}
