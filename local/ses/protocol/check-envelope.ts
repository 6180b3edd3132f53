import { parseMailbox } from './addresses.ts';
import type { SesAttachment, SesDestination, SesHeader, SesTag } from './schemas.ts';
import { badRequest } from './ses-error.ts';

const maximumRecipients = 50;
const maximumHeaders = 15;
const maximumHeaderName = 126;
const maximumHeaderValue = 870;
const headerName = /^[!-9;-~]+$/;
const headerValue = /^[ -~]+$/;
const tagText = /^[A-Za-z0-9_-]{1,256}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
const controlCharacters = /[\x00-\x08\x0a-\x1f\x7f]/;

/** Headers that SES writes itself from other members of the call; a custom one would be a duplicate. */
const writtenByService =
  /^(b?cc|content-(disposition|transfer-encoding|type)|date|from|message-id|mime-version|reply-to|return-path|sender|subject|to)$/i;

export const isWrittenByService = (headerName: string) => writtenByService.test(headerName);

/**
 * Bare addresses in the order To, Cc, Bcc.
 * @throws SesError BadRequestException for no address, more than 50, or a malformed one
 */
export function checkRecipients({ ToAddresses: to, CcAddresses: cc, BccAddresses: bcc }: SesDestination) {
  const all = [...to, ...cc, ...bcc];
  if (all.length === 0) throw badRequest('Missing destination: no recipient given.');
  if (all.length > maximumRecipients) throw badRequest(`Recipient count exceeds ${maximumRecipients}.`);
  return all.map(parseMailbox);
}

/**
 * Validates custom headers. A line break in a value would start another header; SES accepts only printable ASCII.
 * @throws SesError BadRequestException (API reference, MessageHeader)
 */
export function checkHeaders(headers: readonly SesHeader[]): [name: string, value: string][] {
  if (headers.length > maximumHeaders) {
    throw badRequest(`No more than ${maximumHeaders} headers are allowed.`);
  }
  return headers.map(({ Name: name, Value: value }) => {
    const fault = (reason: string) => badRequest(`Illegal header ${JSON.stringify(name)}: ${reason}`);
    if (name.length > maximumHeaderName || !headerName.test(name)) throw fault('the name is malformed.');
    if (isWrittenByService(name)) throw fault('duplicate of a header that SES writes.');
    if (!headerValue.test(value)) throw fault('the value has to be printable ASCII.');
    if (value.length > maximumHeaderValue) {
      throw fault(`the value is longer than ${maximumHeaderValue} characters.`);
    }
    return [name, value];
  });
}

/**
 * Message tags by name. Later ones win, because an entry's tag overrides the default one.
 * @throws SesError BadRequestException for characters other than letters, digits, `_` and `-`
 */
export function checkTags(...lists: readonly SesTag[][]): Record<string, string> {
  const tags: Record<string, string> = {};
  for (const { Name: name, Value: value } of lists.flat()) {
    if (!tagText.test(name) || !tagText.test(value)) {
      const tag = JSON.stringify(`${name}=${value}`);
      throw badRequest(`Illegal message tag ${tag}: letters, digits, _ and - only, up to 256.`);
    }
    tags[name] = value;
  }
  return tags;
}

/** @throws SesError BadRequestException when a subject has a line break or another control character */
export function checkSubject(subject: string): string {
  if (!controlCharacters.test(subject)) return subject;
  throw badRequest('Illegal subject: control characters are not allowed.');
}

/** @throws SesError BadRequestException when text that ends up in a part's headers has control characters */
export function checkAttachments(attachments: readonly SesAttachment[]): void {
  for (const { RawContent: _, ...inHeaders } of attachments) {
    if (Object.values(inHeaders).some((text) => controlCharacters.test(text ?? ''))) {
      throw badRequest('Illegal attachment: control characters in its headers.');
    }
  }
}
