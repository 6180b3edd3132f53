import type { MessageHeader } from '@aws-sdk/client-sesv2';
import { encodeHeaderText, sanitizeHeaderValue } from '../../core/headers/header-text.ts';
import type { OutgoingEmail } from './email-provider.ts';
import { isComposite } from './mime-message.ts';

// Amazon SES API v2 reference, `Message`, `MessageHeader` and `Attachment`: characters, and headers of one message.
const maxHeaders = 15;
const maxHeaderNameLength = 126;
const maxHeaderValueLength = 870;
const maxFilenameLength = 255;
const maxContentIdLength = 78;
const maxContentTypeLength = 78;

const fits = (text: string, max: number) => text.length >= 1 && text.length <= max;

/** The headers as SES takes them; undefined beyond its limits. */
export function toSimpleHeaders(headers: OutgoingEmail['headers']): MessageHeader[] | undefined {
  const simple = Object.entries(headers).map(([Name, value]) => ({ Name, Value: encodeHeaderText(value) }));
  const isAccepted = simple.every(
    ({ Name, Value }) => fits(Name, maxHeaderNameLength) && fits(Value, maxHeaderValueLength),
  );
  return isAccepted && simple.length <= maxHeaders ? simple : undefined;
}

/** True when SES can build the MIME itself (`Content.Simple`); otherwise raw MIME is needed. */
export function fitsSimpleContent({ headers, attachments }: OutgoingEmail): boolean {
  return (
    toSimpleHeaders(headers) !== undefined &&
    attachments.every(
      ({ filename, contentType, cid }) =>
        fits(sanitizeHeaderValue(filename), maxFilenameLength) &&
        fits(sanitizeHeaderValue(contentType), maxContentTypeLength) &&
        // SES would encode its content.
        !isComposite(sanitizeHeaderValue(contentType)) &&
        (cid === null || fits(sanitizeHeaderValue(cid), maxContentIdLength)),
    )
  );
}
