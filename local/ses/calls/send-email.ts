import { contentOfSingle, type MessageContent } from '../mail/message-content.ts';
import { type RawMessage, readRawMessage } from '../mail/raw-message.ts';
import { checkAttachments, checkHeaders, checkSubject, checkTags } from '../protocol/check-envelope.ts';
import { parseCall } from '../protocol/exchange.ts';
import { MissingAttribute } from '../protocol/inline-template.ts';
import { type SendEmailCall, sendEmailSchema } from '../protocol/schemas.ts';
import { SesError } from '../protocol/ses-error.ts';
import { checkSender, type SendingContext, toMessage } from './sender.ts';

/** 40 MB of message, whose attachments are base64 here. */
export const sendEmailLimitBytes = 60 * 1024 * 1024;

/**
 * `SendEmail` with simple content, an inline template or a raw message. The message is on disk when this
 * resolves.
 * @throws SesError as SES would reject the call; then nothing was accepted
 */
export async function sendEmail(body: Buffer, context: SendingContext): Promise<object> {
  const call = parseCall(sendEmailSchema, body);
  const sender = checkSender(call, context);
  const { content, headers, replyTo } = await readContent(call);
  const message = toMessage(
    { ...sender, replyTo },
    {
      destination: call.Destination,
      content,
      headers,
      tags: checkTags(call.EmailTags),
      entry: null,
    },
  );
  await context.store.accept(body, [message]);
  return { MessageId: message.id };
}

async function readContent({
  Content: content,
  ReplyToAddresses: replyTo,
}: SendEmailCall): Promise<RawMessage> {
  if (Object.values(content).filter((one) => one !== undefined).length !== 1) {
    throw new SesError('BadRequestException', 'The content is one of Simple, Template and Raw.');
  }
  if (content.Raw !== undefined) return readRawMessage(content.Raw.Data);
  const made = makeContent(content);
  checkSubject(made.subject);
  checkAttachments(made.attachments);
  const headers = content.Simple?.Headers ?? content.Template?.Headers ?? [];
  return { content: made, headers: checkHeaders(headers), replyTo };
}

function makeContent(content: SendEmailCall['Content']): MessageContent {
  const { Simple: simple, Template: template } = content;
  if (simple !== undefined && simple.Body.Html === undefined && simple.Body.Text === undefined) {
    throw new SesError('BadRequestException', 'The body needs an Html or a Text part.');
  }
  if (template !== undefined) requireInlineTemplate(template);
  try {
    return contentOfSingle(content);
  } catch (error) {
    if (error instanceof MissingAttribute) throw new SesError('BadRequestException', error.message);
    throw error;
  }
}

/** @throws SesError NotFoundException for a template stored at the provider: there are none here */
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
