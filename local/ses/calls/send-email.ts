import { contentOfSimple } from '../mail/message-content.ts';
import { type RawMessage, readRawMessage } from '../mail/raw-message.ts';
import { checkAttachments, checkHeaders, checkSubject, checkTags } from '../protocol/check-envelope.ts';
import { parseCall } from '../protocol/exchange.ts';
import { type SendEmailCall, sendEmailSchema } from '../protocol/schemas.ts';
import { badRequest } from '../protocol/ses-error.ts';
import { checkSender, type SendingContext, toMessage } from './sender.ts';

/** Room for a 40 MB message, whose attachments are base64 here. */
export const sendEmailLimitBytes = 60 * 1024 * 1024;

/**
 * `SendEmail` with simple content or a raw message. The message is on disk when this resolves.
 * @throws SesError as SES would reject the call; then nothing was accepted
 */
export async function sendEmail(body: Buffer, context: SendingContext): Promise<object> {
  const call = parseCall(sendEmailSchema, body);
  const sender = checkSender(call, context);
  const { content, headers, replyTo } = await readContent(call);
  const own = { headers, tags: checkTags(call.EmailTags), entry: null };
  const message = toMessage({ ...sender, replyTo }, call.Destination, content, own);
  context.store.accept(body, [message]);
  return { MessageId: message.id };
}

async function readContent({
  Content: { Simple: simple, Raw: raw },
  ReplyToAddresses: replyTo,
}: SendEmailCall): Promise<RawMessage> {
  if (raw !== undefined && simple === undefined) return readRawMessage(raw.Data);
  if (raw !== undefined || simple === undefined) throw badRequest('The content is one of Simple and Raw.');
  if (simple.Body.Html === undefined && simple.Body.Text === undefined) {
    throw badRequest('The body needs an Html or a Text part.');
  }
  const content = contentOfSimple(simple);
  checkSubject(content.subject);
  checkAttachments(content.attachments);
  return { content, headers: checkHeaders(simple.Headers), replyTo };
}
