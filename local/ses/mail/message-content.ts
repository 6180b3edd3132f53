import { compileTemplate, parseTemplateData } from '../protocol/inline-template.ts';
import type { SendBulkEmailCall, SesAttachment, SesSimple, SesTemplate } from '../protocol/schemas.ts';

export interface MessageContent {
  subject: string;
  html: string | null;
  text: string | null;
  attachments: SesAttachment[];
}

export type ContentOfEntry = (entry: number | null) => MessageContent;

export function contentOfSimple({
  Subject: subject,
  Body: body,
  Attachments: attachments,
}: SesSimple): MessageContent {
  return { subject: subject.Data, html: body.Html?.Data ?? null, text: body.Text?.Data ?? null, attachments };
}

/** @throws SesError or MissingAttribute when the template or the data of an entry cannot be rendered */
export function contentOfBulk(call: SendBulkEmailCall): ContentOfEntry {
  const render = contentOfTemplate(call.DefaultContent.Template ?? { Headers: [] });
  return (entry) => {
    const replacement = call.BulkEmailEntries[entry ?? 0]?.ReplacementEmailContent?.ReplacementTemplate;
    return render(replacement?.ReplacementTemplateData);
  };
}

function contentOfTemplate(template: SesTemplate): (replacementData: string | undefined) => MessageContent {
  const compile = (source: string | undefined) => (source === undefined ? null : compileTemplate(source));
  const subject = compile(template.TemplateContent?.Subject);
  const html = compile(template.TemplateContent?.Html);
  const text = compile(template.TemplateContent?.Text);
  const defaults = parseTemplateData(template.TemplateData);
  return (replacementData) => {
    const data = { ...defaults, ...parseTemplateData(replacementData) };
    return {
      subject: subject?.(data) ?? '',
      html: html?.(data) ?? null,
      text: text?.(data) ?? null,
      attachments: [],
    };
  };
}
