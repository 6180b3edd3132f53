import { encodeHeaderText, sanitizeHeaderValue } from '../../core/headers/header-text.ts';
import type { OutgoingEmail } from './email-provider.ts';

// Amazon SES API v2 reference, `Message`, `MessageHeader` and `Attachment`: characters, and headers of one message.
const maxHeaders = 15;
const maxHeaderNameLength = 126;
const maxHeaderValueLength = 870;
const maxFilenameLength = 255;
const maxContentIdLength = 78;
const maxContentTypeLength = 78;

const isBetween = (text: string, min: number, max: number) => text.length >= min && text.length <= max;

/** True when SES can build the MIME itself (`Content.Simple`, bulk entries); otherwise raw MIME is needed. */
export function fitsSimpleContent({ headers, attachments }: OutgoingEmail): boolean {
  const entries = Object.entries(headers);
  return (
    entries.length <= maxHeaders &&
    entries.every(
      ([name, value]) =>
        isBetween(name, 1, maxHeaderNameLength) &&
        isBetween(encodeHeaderText(value), 1, maxHeaderValueLength),
    ) &&
    attachments.every(
      ({ filename, contentType, cid }) =>
        isBetween(sanitizeHeaderValue(filename), 1, maxFilenameLength) &&
        isBetween(sanitizeHeaderValue(contentType), 1, maxContentTypeLength) &&
        (cid === null || isBetween(sanitizeHeaderValue(cid), 1, maxContentIdLength)),
    )
  );
}
