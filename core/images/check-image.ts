import { validationFailed } from '../errors.ts';
import { type ImageType, imageTypes } from './image-key.ts';

const headBytes = 4_100;
const pdfStartBytes = 1_024;

/**
 * Starts of markup that a browser or a server might execute if it mistook the file's type. Long enough not to
 * occur by chance in compressed pixels; metadata of real images contains none.
 */
const markup = /<(?:!doctype\s|html[\s>]|body[\s>]|script[\s>]|iframe[\s>]|\?php\s)/i;
/** Length of the longest pattern minus one: what can span two chunks. */
const overlapBytes = 9;

function refused(message: string) {
  return validationFailed([{ field: 'image', message, code: 'custom' }]);
}

/**
 * Detects a JPEG, PNG, GIF or WebP file by its content, not its name. Rejects polyglots with PDF or HTML.
 *
 * @throws DomainError `VALIDATION_ERROR` for anything else; also thrown by `bytes`
 */
export async function checkImage(source: AsyncIterable<Uint8Array>) {
  const chunks = source[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < headBytes) {
    const next = await chunks.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  if (head.length === 0) throw refused('The file is empty');
  const type = await sniff(head);
  if (type === undefined) throw refused('The file is not a JPEG, PNG, GIF or WebP image');
  if (head.subarray(0, pdfStartBytes).includes('%PDF-')) throw refused('The image is also a PDF file');
  // No `return`: the caller closes the source, and needs the error first.
  const rest = { [Symbol.asyncIterator]: () => ({ next: () => chunks.next() }) };
  return { type, bytes: withoutMarkup(head, rest) };
}

async function sniff(head: Uint8Array): Promise<ImageType | undefined> {
  const { fileTypeFromBuffer } = await import('file-type');
  const mime = (await fileTypeFromBuffer(head))?.mime;
  // An animated PNG is a PNG; old viewers show only its first frame.
  return mime === 'image/apng' ? 'image/png' : imageTypes.find((type) => type === mime);
}

async function* withoutMarkup(head: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let end = '';
  const pass = (chunk: Uint8Array) => {
    const text = end + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
    if (markup.test(text)) throw refused('The image contains markup or a script');
    end = text.slice(-overlapBytes);
    return chunk;
  };
  yield pass(head);
  for await (const chunk of rest) yield pass(chunk);
}
