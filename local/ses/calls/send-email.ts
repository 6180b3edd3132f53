import { contentOfSingle, type MessageContent } from '../mail/message-content.ts';
import { checkAttachments, checkHeaders, checkSubject, checkTags } from '../protocol/check-envelope.ts';
import { parseCall } from '../protocol/exchange.ts';
import { MissingAttribute } from '../protocol/inline-template.ts';
import { type SendEmailCall, sendEmailSchema } from '../protocol/schemas.ts';
import { SesError } from '../protocol/ses-error.ts';
import { checkSender, type SendingContext, toMessage } from './sender.ts';

/** Longest request in bytes: 40 MB of message, whose attachments are base64 here. */
export const sendEmailLimitBytes = 60 * 1024 * 1024;

/**
 * `SendEmail` with simple content or an inline template. The message is on disk when this resolves.
 *
 * @throws SesError as SES would refuse the call; then nothing was accepted
 */
export async function sendEmail(body: Buffer, context: SendingContext): Promise<object> {
  const call = parseCall(sendEmailSchema, body);
  const sender = checkSender(call, context);
  const content = readContent(call);
  checkSubject(content.subject);
  checkAttachments(content.attachments);
  const headers = call.Content.Simple?.Headers ?? call.Content.Template?.Headers ?? [];
  const message = toMessage(sender, {
    destination: call.Destination,
    content,
    headers: checkHeaders(headers),
    tags: checkTags(call.EmailTags),
    entry: null,
  });
  await context.store.accept(body, [message]);
  return { MessageId: message.id };
}

function readContent(call: SendEmailCall): MessageContent {
  const { Simple: simple, Template: template } = call.Content;
  if (simple !== undefined) {
    if (simple.Body.Html === undefined && simple.Body.Text === undefined) {
      throw new SesError('BadRequestException', 'The body needs an Html or a Text part.');
    }
    return contentOfSingle(call);
  }
  if (template === undefined) {
    throw new SesError('BadRequestException', 'The local SES takes Simple or Template content, not Raw.');
  }
  requireInlineTemplate(template);
  try {
    return contentOfSingle(call);
  } catch (error) {
    if (error instanceof MissingAttribute) throw new SesError('BadRequestException', error.message);
    throw error;
  }
}

/** @throws SesError NotFoundException for a template that is stored at the provider: there are none here */
export function requireInlineTemplate(template: {
  TemplateName?: string | undefined;
  TemplateArn?: string | undefined;
  TemplateContent?: object | undefined;
}): void {
  if (template.TemplateContent !== undefined) return;
  throw new SesError(
    'NotFoundException',
    `Template ${template.TemplateName ?? template.TemplateArn ?? ''} does not exist.`,
  );
}
