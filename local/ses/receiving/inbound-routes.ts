import Router from '@koa/router';
import type { Context } from 'koa';
import PostalMime, { type Address } from 'postal-mime';
import { z } from 'zod';
import { tryParseJson } from '../../../core/json-value.ts';
import { HttpProblem, parseInput, readBody } from '../http/read-input.ts';
import { verdictsSchema } from '../mail/records.ts';
import { composeMail, mailInputSchema } from './compose-mail.ts';
import {
  type IncomingMail,
  mostMailBytes,
  mostNotifiedBytes,
  type ReceivedMail,
  receivedBucket,
} from './received-mail.ts';

/** The largest email in base64, plus JSON overhead. */
const mostJsonBytes = 60 * 1024 * 1024;

const rawQuerySchema = z.object({
  from: z.string().optional(),
  to: z.string().optional(),
  ...verdictsSchema.partial().shape,
});

const flat = (addresses: readonly Address[] | undefined): string[] =>
  (addresses ?? []).flatMap((one) => (one.group ?? [one]).map(({ address }) => address));

async function envelopeOf(raw: Buffer) {
  const email = await PostalMime.parse(raw).catch(() => undefined);
  const recipients = [...flat(email?.to), ...flat(email?.cc), ...flat(email?.bcc)];
  return {
    source: email?.from?.address ?? '',
    recipients: [...new Set(recipients.filter((one) => one !== ''))],
  };
}

async function readRaw({ req: request, query }: Context): Promise<IncomingMail> {
  const { from, to, ...verdicts } = parseInput(rawQuerySchema, query);
  const raw = await readBody(request, mostMailBytes);
  const named = await envelopeOf(raw);
  return {
    source: from ?? named.source,
    recipients: to === undefined ? named.recipients : to.split(',').map((one) => one.trim()),
    raw,
    verdicts,
  };
}

async function readMail({ req: request }: Context): Promise<IncomingMail> {
  const text = (await readBody(request, mostJsonBytes)).toString('utf8');
  const value = tryParseJson(text);
  if (value === undefined) {
    throw new HttpProblem(400, 'The body is neither JSON nor, by its Content-Type, message/rfc822.');
  }
  const input = parseInput(mailInputSchema, value);
  const raw = await composeMail(input);
  const { source, recipients } = await envelopeOf(raw);
  return { source: input.source ?? source, recipients, raw, verdicts: input.verdicts };
}

/**
 * `POST /api/inbound` accepts an email as `message/rfc822` or as JSON. Also serves the bucket from which large emails
 * are fetched.
 * @param isPublished whether notifications of received emails have a destination
 */
export function inboundRoutes(mail: ReceivedMail, isPublished: boolean): Router {
  return new Router()
    .post('/api/inbound', async (ctx) => {
      if (!isPublished) throw new HttpProblem(409, 'Received emails go nowhere: SNS_WEBHOOK_URL is not set.');
      const isRaw = ctx.get('content-type').toLowerCase().startsWith('message/rfc822');
      const incoming = isRaw ? await readRaw(ctx) : await readMail(ctx);
      if (incoming.recipients.length === 0) throw new HttpProblem(400, 'to: the email has no recipient');
      if (incoming.raw.length > mostMailBytes) throw new HttpProblem(413, 'SES takes at most 40 MB.');
      const id = await mail.accept(incoming);
      const action = incoming.raw.length > mostNotifiedBytes ? 'S3' : 'SNS';
      ctx.status = 202;
      ctx.body = { id, source: incoming.source, recipients: incoming.recipients, action };
    })
    .get(`/${receivedBucket}/:key`, async (ctx) => {
      const bytes = await mail.read(ctx.params.key ?? '');
      ctx.status = bytes === undefined ? 404 : 200;
      ctx.type = bytes === undefined ? 'application/xml' : 'application/octet-stream';
      ctx.body =
        bytes ??
        '<?xml version="1.0"?><Error><Code>NoSuchKey</Code><Message>The key does not exist.</Message></Error>';
    });
}
