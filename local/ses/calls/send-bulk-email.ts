import { type ContentOfEntry, contentOfBulk, type MessageContent } from '../mail/message-content.ts';
import type { MessageRecord } from '../mail/records.ts';
import { checkHeaders, checkSubject, checkTags } from '../protocol/check-envelope.ts';
import { parseCall } from '../protocol/exchange.ts';
import { MissingAttribute } from '../protocol/inline-template.ts';
import { type SendBulkEmailCall, type SesHeader, sendBulkEmailSchema } from '../protocol/schemas.ts';
import { badRequest, SesError } from '../protocol/ses-error.ts';
import { type CallSender, checkSender, type SendingContext, toMessage } from './sender.ts';

export const sendBulkEmailLimitBytes = 1024 * 1024;
const maximumEntries = 50;

type EntryResult = { Status: string; MessageId?: string; Error?: string };

/**
 * `SendBulkEmail` with an inline template of placeholders. One result per entry, in order; accepted messages are on
 * disk when this resolves. An entry whose data does not fit the template fails alone.
 * @throws SesError when the whole call is rejected, with nothing accepted: for a malformed address, header or tag in
 * any entry
 */
export async function sendBulkEmail(body: Buffer, context: SendingContext): Promise<object> {
  const call = parseCall(sendBulkEmailSchema, body);
  const template = call.DefaultContent.Template;
  if (template === undefined) throw badRequest('Missing DefaultContent.Template.');
  if (template.TemplateContent === undefined) {
    const name = template.TemplateName ?? template.TemplateArn ?? '';
    throw new SesError('NotFoundException', `Template ${name} does not exist.`);
  }
  if (call.BulkEmailEntries.length === 0 || call.BulkEmailEntries.length > maximumEntries) {
    throw badRequest(`Between 1 and ${maximumEntries} entries are needed.`);
  }
  const sender = checkSender(call, context);
  const contentOf = contentOfBulk(call);
  const messages: MessageRecord[] = [];
  const results = call.BulkEmailEntries.map((entry, index): EntryResult => {
    const message = readEntry(call, entry, index, sender, contentOf);
    if ('Status' in message) return message;
    messages.push(message);
    return { Status: 'SUCCESS', MessageId: message.id };
  });
  if (messages.length > 0) context.store.accept(body, messages);
  return { BulkEmailEntryResults: results };
}

function readEntry(
  call: SendBulkEmailCall,
  entry: SendBulkEmailCall['BulkEmailEntries'][number],
  index: number,
  sender: CallSender,
  contentOf: ContentOfEntry,
): MessageRecord | EntryResult {
  const headers = mergeHeaders(call.DefaultContent.Template?.Headers ?? [], entry.ReplacementHeaders);
  const own = {
    headers: checkHeaders(headers),
    tags: checkTags(call.DefaultEmailTags, entry.ReplacementTags),
    entry: index,
  };
  let content: MessageContent;
  try {
    content = contentOf(index);
    checkSubject(content.subject);
  } catch (error) {
    if (error instanceof MissingAttribute || error instanceof SesError) {
      // The rest of the entry is still checked: a malformed address rejects the whole call.
      toMessage(sender, entry.Destination, { subject: '', html: null }, own);
      return { Status: 'INVALID_PARAMETER', Error: error.message };
    }
    throw error;
  }
  return toMessage(sender, entry.Destination, content, own);
}

function mergeHeaders(defaults: SesHeader[], replacements: SesHeader[]): SesHeader[] {
  if (defaults.length === 0) return replacements;
  const replaced = new Set(replacements.map(({ Name: name }) => name.toLowerCase()));
  return [...defaults.filter(({ Name: name }) => !replaced.has(name.toLowerCase())), ...replacements];
}
