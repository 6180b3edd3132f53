import { fileTypeFromBuffer } from 'file-type';
import { validationFailed } from '../errors.ts';
import { type ImageType, imageTypes } from './image-key.ts';

/** What `file-type` needs to see of a file. */
const headBytes = 4_100;
/** Viewers look for the start of a PDF within this. */
const pdfStartBytes = 1_024;

/**
 * Starts of markup that a browser or a server might run, should it ever take the file for something else. They are
 * long enough to be no chance in compressed pixels, and metadata of real images holds none.
 */
const markup = /<(?:!doctype\s|html[\s>]|body[\s>]|script[\s>]|iframe[\s>]|\?php\s)/i;
/** Longest start of markup less one byte: what may hang over the end of a chunk. */
const overlapBytes = 9;

/** An image whose content has been recognised; `bytes` throws when what follows makes it unacceptable. */
export interface CheckedImage {
  type: ImageType;
  bytes: AsyncIterable<Uint8Array>;
}

function refused(message: string) {
  return validationFailed([{ field: 'image', message, code: 'custom' }]);
}

/**
 * Recognises a JPEG, PNG, GIF or WebP file by its content, whatever it is called. Files that are a PDF or a web page
 * at the same time are refused.
 *
 * @throws DomainError `VALIDATION_ERROR` for anything else; also thrown by `bytes`
 */
export async function checkImage(source: AsyncIterable<Uint8Array>): Promise<CheckedImage> {
  const chunks = source[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < headBytes) {
    const next = await chunks.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  if (head.length === 0) throw refused('The file is empty');
  const type = await sniff(head);
  if (type === undefined) throw refused('The file is no JPEG, PNG, GIF or WebP image');
  if (head.subarray(0, pdfStartBytes).includes('%PDF-')) throw refused('The image is a PDF file as well');
  // Without `return`: whoever gave the source ends it, and hears first why.
  const rest = { [Symbol.asyncIterator]: () => ({ next: () => chunks.next() }) };
  return { type, bytes: withoutMarkup(head, rest) };
}

async function sniff(head: Uint8Array): Promise<ImageType | undefined> {
  const mime = (await fileTypeFromBuffer(head))?.mime;
  // An animated PNG is a PNG whose later frames an old viewer does not see.
  return mime === 'image/apng' ? 'image/png' : imageTypes.find((type) => type === mime);
}

async function* withoutMarkup(head: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let end = '';
  const pass = (chunk: Uint8Array) => {
    const text = end + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
    if (markup.test(text)) throw refused('The image holds markup or a script');
    end = text.slice(-overlapBytes);
    return chunk;
  };
  yield pass(head);
  for await (const chunk of rest) yield pass(chunk);
}
