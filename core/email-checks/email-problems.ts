import type { DomainStatus } from '../domains.ts';
import { tokenizeHtml } from '../html-tokens.ts';

export const problemSeverities = ['error', 'warning', 'info'] as const;

/**
 * Problems that an email can have, with their severity. `error`: it can't be sent like this. `warning`: recipients
 * notice. `info`: good to know.
 */
export const emailProblems = {
  invalid_liquid: 'error',
  render_limit: 'error',
  domain_not_verified: 'error',
  subject_empty: 'warning',
  unknown_field: 'warning',
  postal_address_missing: 'warning',
  too_large: 'warning',
  image_not_web: 'warning',
  image_without_alt: 'warning',
  link_empty: 'warning',
  link_not_web: 'warning',
  variable_needed: 'info',
  subject_long: 'info',
  unsubscribe_added: 'info',
} as const satisfies Record<string, (typeof problemSeverities)[number]>;

export type EmailProblemCode = keyof typeof emailProblems;

export interface ProblemPlace {
  field?: 'subject' | 'body';
  /** From 1, in the template. */
  line?: number;
  column?: number;
}

export interface EmailProblem extends ProblemPlace {
  code: EmailProblemCode;
  severity: (typeof problemSeverities)[number];
  message: string;
}

export interface CheckedEmail {
  subject: string;
  html: string;
  /** Source template of the HTML, used to locate problems. */
  body: string;
  text: string;
  /** Undefined if the email is not marketing. `address` is that of the project. */
  footer: { isAdded: boolean; address: string | null } | undefined;
  /** Undefined while no sender is chosen; its status is undefined when the project has no such domain. */
  sender: { domain: string; status: DomainStatus | undefined } | undefined;
}

/** Gmail clips longer HTML. */
export const clippedBytes = 102 * 1024;
/** Mail programs cut off longer subjects (RFC 5322, section 2.1.1). */
export const longSubject = 78;
export const mostPerCode = 20;
const shownLength = 120;

export const problem = (code: EmailProblemCode, message: string, place: ProblemPlace = {}): EmailProblem => ({
  code,
  severity: emailProblems[code],
  message,
  ...place,
});

/** The checks of a rendered email, most severe first; at most 20 of each code. */
export function findEmailProblems(email: CheckedEmail): EmailProblem[] {
  return [...senderProblems(email), ...subjectProblems(email), ...sizeProblems(email), ...tagProblems(email)]
    .concat(footerProblems(email))
    .toSorted(bySeverity);
}

export const bySeverity = (one: EmailProblem, other: EmailProblem) => rankOf(one) - rankOf(other);

const rankOf = ({ severity }: EmailProblem) => problemSeverities.indexOf(severity);

function senderProblems({ sender }: CheckedEmail): EmailProblem[] {
  if (sender === undefined || sender.status === 'verified') return [];
  const state = sender.status === undefined ? 'not registered to this project' : 'not verified yet';
  return [
    problem('domain_not_verified', `The domain ${sender.domain} is ${state}: nothing can be sent from it`),
  ];
}

function subjectProblems({ subject }: CheckedEmail): EmailProblem[] {
  const field = 'subject';
  if (subject.trim() === '') return [problem('subject_empty', 'The subject is empty', { field })];
  const length = [...subject].length;
  if (length <= longSubject) return [];
  const message = `The subject has ${length} characters; mail programs cut off what is beyond ${longSubject}`;
  return [problem('subject_long', message, { field })];
}

function sizeProblems({ html }: CheckedEmail): EmailProblem[] {
  const bytes = Buffer.byteLength(html);
  if (bytes <= clippedBytes) return [];
  const message = `The HTML has ${Math.ceil(bytes / 1024)} KB; Gmail clips an email beyond ${clippedBytes / 1024} KB`;
  return [problem('too_large', message, { field: 'body' })];
}

function footerProblems({ footer, text }: CheckedEmail): EmailProblem[] {
  if (footer === undefined) return [];
  const { isAdded, address } = footer;
  const field = 'body';
  if (!isAdded) {
    // An address that the body has itself can only be found by comparison.
    if (address === null || isWithin(text, address)) return [];
    const message =
      'The body has its own link to {{ unsubscribeUrl }}, so no footer is added, and the postal address does not show';
    return [problem('postal_address_missing', message, { field })];
  }
  const added = 'The body has no link to {{ unsubscribeUrl }}: a footer with one is added';
  const missing =
    'The footer has no postal address, which many countries require. Enter it in the settings of the project';
  return [
    problem('unsubscribe_added', added, { field }),
    ...(address === null ? [problem('postal_address_missing', missing, { field })] : []),
  ];
}

/** Whether the first line of the address is in the text. */
function isWithin(text: string, address: string): boolean {
  const plain = (one: string) => one.replaceAll(/\s+/g, ' ').trim().toLowerCase();
  return plain(text).includes(plain(address.split('\n', 1).join('')));
}

const checkedTags = new Set(['img', 'a', 'area']);

function tagProblems({ html, body }: CheckedEmail): EmailProblem[] {
  const found = new Map<string, EmailProblem>();
  const counts = new Map<EmailProblemCode, number>();
  for (const tag of scanTags(html, checkedTags)) {
    for (const fault of tag.name === 'img' ? imageFaults(tag) : linkFaults(tag)) {
      const key = `${fault.code} ${tag.source}`;
      if (found.has(key)) continue;
      const count = (counts.get(fault.code) ?? 0) + 1;
      counts.set(fault.code, count);
      if (count > mostPerCode) continue;
      const place = placeOf(body, tag.source);
      // Its address comes from a variable.
      const isUnfilled = fault.code === 'link_empty' && place.line === undefined;
      const message = isUnfilled ? 'A link has no address for this reader' : fault.message;
      found.set(key, problem(fault.code, `${message}: ${shorten(tag.source)}`, { field: 'body', ...place }));
    }
  }
  return [...found.values()];
}

interface Fault {
  code: EmailProblemCode;
  message: string;
}

const isWebAddress = (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text);

function imageFaults({ attributes }: OpenTag): Fault[] {
  const src = attributes.get('src')?.trim() ?? '';
  const faults: Fault[] = [];
  // `cid:` is an inline image. Without an address, the preview may only lack the data that the sender passes.
  if (/^data:/i.test(src))
    faults.push({ code: 'image_not_web', message: 'Gmail and Outlook do not show an image within the HTML' });
  else if (src !== '' && !/^cid:/i.test(src) && !isWebAddress(src))
    faults.push({ code: 'image_not_web', message: 'An image is not at an http or https address' });
  // An empty `alt` is correct for a decorative image.
  if (!attributes.has('alt'))
    faults.push({ code: 'image_without_alt', message: 'An image has no alternative text' });
  return faults;
}

/** Mail programs follow links to addresses and phone numbers; `#part` leads within the email. */
const otherSchemes = /^(?:mailto:|tel:|sms:|#.)/i;

function linkFaults({ attributes }: OpenTag): Fault[] {
  const href = attributes.get('href')?.trim();
  // Without `href`, the element is only the target of a link.
  if (href === undefined || otherSchemes.test(href) || isWebAddress(href)) return [];
  if (href === '' || href === '#') return [{ code: 'link_empty', message: 'A link leads nowhere' }];
  return [{ code: 'link_not_web', message: 'A link is not an http or https address' }];
}

function placeOf(body: string, source: string): ProblemPlace {
  const at = body.indexOf(source);
  if (at === -1) return {};
  const before = body.slice(0, at);
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') };
}

const shorten = (text: string) =>
  text.length <= shownLength ? text : `${text.slice(0, shownLength - 1).toWellFormed()}…`;

export interface OpenTag {
  name: string;
  attributes: ReadonlyMap<string, string>;
  source: string;
}

export function scanTags(html: string, names: ReadonlySet<string>): OpenTag[] {
  const tags: OpenTag[] = [];
  let tag = { name: '', start: 0 };
  let attributes = new Map<string, string>();
  let attribute = '';
  let value = '';
  const close = (end: number) => {
    if (names.has(tag.name))
      tags.push({ name: tag.name, attributes, source: html.slice(tag.start, end + 1) });
  };
  tokenizeHtml(html, {
    onopentagname(start, end) {
      tag = { name: html.slice(start, end).toLowerCase(), start: start - 1 };
      attributes = new Map();
    },
    onattribname(start, end) {
      attribute = html.slice(start, end).toLowerCase();
      value = '';
    },
    onattribdata(start, end) {
      value += html.slice(start, end);
    },
    onattribentity(codePoint) {
      value += String.fromCodePoint(codePoint);
    },
    onattribend() {
      if (!attributes.has(attribute)) attributes.set(attribute, value);
    },
    onopentagend: close,
    onselfclosingtag: close,
  });
  return tags;
}
