import type { MessageHeader } from '@aws-sdk/client-sesv2';
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

/** The headers as SES takes them; undefined beyond its limits. */
export function toSimpleHeaders(headers: OutgoingEmail['headers']): MessageHeader[] | undefined {
  const simple = Object.entries(headers).map(([Name, value]) => ({ Name, Value: encodeHeaderText(value) }));
  const fits = simple.every(
    ({ Name, Value }) => isBetween(Name, 1, maxHeaderNameLength) && isBetween(Value, 1, maxHeaderValueLength),
  );
  return fits && simple.length <= maxHeaders ? simple : undefined;
}

/** True when SES can build the MIME itself (`Content.Simple`); otherwise raw MIME is needed. */
export function fitsSimpleContent({ headers, attachments }: OutgoingEmail): boolean {
  return (
    toSimpleHeaders(headers) !== undefined &&
    attachments.every(
      ({ filename, contentType, cid }) =>
        isBetween(sanitizeHeaderValue(filename), 1, maxFilenameLength) &&
        isBetween(sanitizeHeaderValue(contentType), 1, maxContentTypeLength) &&
        (cid === null || isBetween(sanitizeHeaderValue(cid), 1, maxContentIdLength)),
    )
  );
}
