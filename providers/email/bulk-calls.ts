import {
  type MessageHeader,
  SendBulkEmailCommand,
  type SendBulkEmailCommandInput,
} from '@aws-sdk/client-sesv2';
import { formatMailbox } from '../../core/addresses/mailbox.ts';
import { sanitizeHeaderValue } from '../../core/headers/header-text.ts';
import { type BulkLayout, layOut } from './bulk-layout.ts';
import type { OutgoingEmail } from './email-provider.ts';
import { toSimpleHeaders } from './simple-content.ts';

// Amazon SES API v2 reference, `SendBulkEmail` and `ReplacementTemplate`: 50 entries, 262,144 characters of data
// each, and 1 MB for the whole request.
export const maxEntries = 50;
const maxDataCharacters = 262_144;
const maxCallBytes = 1024 * 1024;
// Sender, configuration set and other fields of a call, without the template.
const envelopeBytes = 4 * 1024;
// Per entry: braces, names and tags, without address, headers and content.
const entryBytes = 400;
// Up to this size per entry, the limit of entries is reached before the limit of bytes, with a template of up to a
// quarter of the call.
const smallEntryBytes = (maxCallBytes * 0.75 - envelopeBytes) / maxEntries;

type PreparedEntry = ReturnType<typeof prepare>;

interface OpenCall {
  entries: PreparedEntry[];
  bytes: number;
}

export interface BulkCall {
  emails: OutgoingEmail[];
  command: SendBulkEmailCommand;
}

function prepare(email: OutgoingEmail, headers: MessageHeader[]) {
  const { layout, data: texts } = layOut(email);
  const data = JSON.stringify({ subject: sanitizeHeaderValue(email.subject), ...texts });
  const to = formatMailbox(email.to);
  let otherBytes = to.length + entryBytes;
  for (const { Name = '', Value = '' } of headers) otherBytes += Name.length + Value.length + 40;
  return {
    email,
    layout,
    entry: {
      Destination: { ToAddresses: [to] },
      ReplacementEmailContent: { ReplacementTemplate: { ReplacementTemplateData: data } },
      ReplacementTags: [
        { Name: 'emailId', Value: email.emailId },
        { Name: 'projectId', Value: email.projectId },
      ],
      ...(headers.length > 0 && { ReplacementHeaders: headers }),
    },
    dataCharacters: data.length,
    bytes: bytesInJson(data, smallEntryBytes - otherBytes) + otherBytes,
  };
}

// Bytes within JSON, which escapes quotes and backslashes once more. Counts exactly only if the upper bound (twice the
// text) exceeds `enough`.
function bytesInJson(data: string, enough: number): number {
  const bound = 2 * Buffer.byteLength(data) + 2;
  return bound <= enough ? bound : Buffer.byteLength(JSON.stringify(data));
}

const isTooLarge = ({ dataCharacters, bytes, layout }: PreparedEntry) =>
  dataCharacters > maxDataCharacters || bytes + envelopeBytes + layout.bytes > maxCallBytes;

function callKey({ from, replyTo }: OutgoingEmail): string {
  return JSON.stringify([from.email, from.name, replyTo]);
}

// The body is plain JSON, written here: the SDK's serializer visits each character and would take a fifth of all
// CPU of an email. The SDK does the rest, above all the signature.
function createCommand(input: SendBulkEmailCommandInput): SendBulkEmailCommand {
  const command = new SendBulkEmailCommand({ DefaultContent: {}, BulkEmailEntries: [] });
  command.middlewareStack.add(
    (next) => (parts) => {
      const { request } = parts;
      if (typeof request !== 'object' || request === null || !('body' in request)) {
        throw new TypeError('The SDK made a request without a body');
      }
      request.body = Buffer.from(JSON.stringify(input));
      return next(parts);
    },
    // After the SDK's serializer, before length and signature.
    { name: 'bulkBody', step: 'serialize', priority: 'low' },
  );
  return command;
}

function toCall(
  entries: PreparedEntry[],
  { email: first, layout }: PreparedEntry,
  configurationSet: string,
): BulkCall {
  const command = createCommand({
    FromEmailAddress: formatMailbox(first.from),
    ...(first.replyTo === null ? {} : { ReplyToAddresses: [formatMailbox({ email: first.replyTo })] }),
    ConfigurationSetName: configurationSet,
    DefaultContent: { Template: { TemplateContent: layout.content, TemplateData: '{}' } },
    BulkEmailEntries: entries.map(({ entry }) => entry),
  });
  return { emails: entries.map(({ email }) => email), command };
}

/**
 * Groups emails into calls of `SendBulkEmail`, each within the limits of SES.
 *
 * @returns `single`: emails with attachments, headers beyond the limits, or too much content for a bulk call
 */
export function planBulkCalls(
  emails: readonly OutgoingEmail[],
  configurationSet: string,
): { calls: BulkCall[]; single: OutgoingEmail[] } {
  const single: OutgoingEmail[] = [];
  const calls: BulkCall[] = [];
  const open = new Map<BulkLayout, Map<string, OpenCall>>();
  const close = (entries: PreparedEntry[]) => {
    const first = entries[0];
    if (first !== undefined) calls.push(toCall(entries, first, configurationSet));
  };
  for (const email of emails) {
    const headers = email.attachments.length === 0 ? toSimpleHeaders(email.headers) : undefined;
    const prepared = headers && prepare(email, headers);
    if (prepared === undefined || isTooLarge(prepared)) {
      single.push(email);
      continue;
    }
    const { layout } = prepared;
    const key = callKey(email);
    const ofLayout = open.get(layout) ?? new Map<string, OpenCall>();
    const call = ofLayout.get(key) ?? { entries: [], bytes: envelopeBytes + layout.bytes };
    if (call.entries.length === maxEntries || call.bytes + prepared.bytes > maxCallBytes) {
      close(call.entries);
      call.entries = [];
      call.bytes = envelopeBytes + layout.bytes;
    }
    call.entries.push(prepared);
    call.bytes += prepared.bytes;
    open.set(layout, ofLayout.set(key, call));
  }
  for (const ofLayout of open.values()) for (const { entries } of ofLayout.values()) close(entries);
  return { calls, single };
}
