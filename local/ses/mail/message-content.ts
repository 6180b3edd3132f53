import { compileTemplate, type InlineTemplate, parseTemplateData } from '../protocol/inline-template.ts';
import type { SendBulkEmailCall, SendEmailCall, SesAttachment, SesTemplate } from '../protocol/schemas.ts';

/** `null`: the message does not have that part. */
export interface MessageContent {
  subject: string;
  html: string | null;
  text: string | null;
  attachments: SesAttachment[];
}

export type ContentOfEntry = (entry: number | null) => MessageContent;

/**
 * Content of a single call that is not raw.
 * @throws SesError or MissingAttribute when its template cannot be rendered
 */
export function contentOfSingle(content: SendEmailCall['Content']): MessageContent {
  if (content.Simple !== undefined) {
    return {
      subject: content.Simple.Subject.Data,
      html: content.Simple.Body.Html?.Data ?? null,
      text: content.Simple.Body.Text?.Data ?? null,
      attachments: content.Simple.Attachments,
    };
  }
  return contentOfTemplate(content.Template ?? { Headers: [], Attachments: [] })('{}');
}

/** @throws SesError or MissingAttribute when the template or the data of an entry cannot be rendered */
export function contentOfBulk(call: SendBulkEmailCall): ContentOfEntry {
  const render = contentOfTemplate(call.DefaultContent.Template ?? { Headers: [], Attachments: [] });
  return (entry) => {
    const replacement = call.BulkEmailEntries[entry ?? 0]?.ReplacementEmailContent?.ReplacementTemplate;
    return render(replacement?.ReplacementTemplateData);
  };
}

function contentOfTemplate(template: SesTemplate): (replacementData: string | undefined) => MessageContent {
  const compile = (source: string | undefined): InlineTemplate | null =>
    source === undefined ? null : compileTemplate(source);
  const subject = compile(template.TemplateContent?.Subject);
  const html = compile(template.TemplateContent?.Html);
  const text = compile(template.TemplateContent?.Text);
  const defaults = parseTemplateData(template.TemplateData);
  return (replacementData) => {
    const data = { ...defaults, ...parseTemplateData(replacementData) };
    return {
      subject: subject?.render(data) ?? '',
      html: html?.render(data) ?? null,
      text: text?.render(data) ?? null,
      attachments: template.Attachments,
    };
  };
}
