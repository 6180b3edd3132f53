export const fileEncodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type FileEncoding = (typeof fileEncodings)[number];

export interface DetectedEncoding {
  encoding: FileEncoding;
  /** A few bytes are invalid in this encoding and read as U+FFFD. */
  damaged: boolean;
}

const markBytes = 3;

/**
 * In Windows-1252 no character, or one that hardly any text has, such as `ƒ` and `‡`. Every third non-ASCII byte of
 * Shift_JIS is one of them.
 */
const rareBytes = new Set([
  ...[0x81, 0x82, 0x83, 0x86, 0x87, 0x88, 0x8b, 0x8d, 0x8f],
  ...[0x90, 0x98, 0x9b, 0x9d],
]);
const mostRare = 0.1;

function encodingOfMark(bytes: readonly number[]): FileEncoding | undefined {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
}

/**
 * Detects the encoding of a file. A byte order mark decides; otherwise valid UTF-8 is UTF-8, and anything else that can
 * be is Windows-1252, which spreadsheets write on Windows. If most non-ASCII characters are UTF-8 and a few
 * bytes are not, the file is damaged UTF-8: read as Windows-1252, all its accents would be wrong.
 */
export function createEncodingDetector() {
  const strict = new TextDecoder('utf-8', { fatal: true });
  const lenient = new TextDecoder('utf-8');
  /** The first bytes of the file, as many as the longest mark has. */
  const head: number[] = [];
  let mark: FileEncoding | undefined;
  let isValid = true;
  let foreign = 0;
  let broken = 0;
  const high = { all: 0, rare: 0 };

  const isWide = () => mark === 'utf-16le' || mark === 'utf-16be';
  const decodeStrictly = (bytes?: Uint8Array) => {
    try {
      if (isValid) strict.decode(bytes, { stream: bytes !== undefined });
    } catch {
      isValid = false;
    }
  };
  return {
    add(bytes: Uint8Array) {
      if (head.length < markBytes) {
        head.push(...bytes.subarray(0, markBytes - head.length));
        mark = encodingOfMark(head);
      }
      if (isWide()) return;
      decodeStrictly(bytes);
      if (!isValid) {
        for (const byte of bytes) {
          if (byte < 0x80) continue;
          high.all += 1;
          if (rareBytes.has(byte)) high.rare += 1;
        }
      }
      const text = lenient.decode(bytes, { stream: true });
      foreign += text.match(/[^\0-\x7f]/gu)?.length ?? 0;
      broken += text.match(/\ufffd/g)?.length ?? 0;
    },
    /** Undefined for an encoding that is not supported. */
    detect(): DetectedEncoding | undefined {
      if (mark !== undefined && isWide()) return { encoding: mark, damaged: false };
      decodeStrictly();
      if (isValid) return { encoding: 'utf-8', damaged: false };
      const isMostlyUtf8 = mark === 'utf-8' || foreign - broken > broken;
      if (isMostlyUtf8) return { encoding: 'utf-8', damaged: true };
      return high.rare > high.all * mostRare ? undefined : { encoding: 'windows-1252', damaged: false };
    },
  };
}

export async function* decodeFile(
  pieces: AsyncIterable<Uint8Array>,
  encoding: FileEncoding,
): AsyncGenerator<Uint8Array | string> {
  // The CSV parser accepts UTF-8 bytes as they are.
  if (encoding === 'utf-8') return yield* pieces;
  const decoder = new TextDecoder(encoding);
  for await (const piece of pieces) {
    const text = decoder.decode(piece, { stream: true });
    if (text !== '') yield text;
  }
  const rest = decoder.decode();
  if (rest !== '') yield rest;
}
