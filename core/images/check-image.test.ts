import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkImage } from './check-image.ts';
import { imageTypes, newImageKey, typeOfImageKey } from './image-key.ts';

const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

async function* inChunks(content: Buffer, chunkBytes: number) {
  for (let at = 0; at < content.length; at += chunkBytes) yield content.subarray(at, at + chunkBytes);
}

async function read(content: Buffer, chunkBytes: number): Promise<Buffer> {
  const { bytes } = await checkImage(inChunks(content, chunkBytes));
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

it('passes an image on byte by byte, however it arrives', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 9_000 }),
      fc.integer({ min: 1, max: 5_000 }),
      async (pixels, size) => {
        // No "<" in the stand-in for the pixels.
        const content = Buffer.concat([gif, pixels.map((byte) => (byte === 0x3c ? 0 : byte))]);
        expect((await read(content, size)).equals(content)).toBe(true);
      },
    ),
    { numRuns: 30 },
  );
});

it('finds markup at any place, also across chunks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(
        '<script>',
        '<SCRIPT src=x>',
        '<!doctype html>',
        '<html>',
        '<?php ',
        '<iframe ',
        '<body\n',
      ),
      fc.integer({ min: 0, max: 9_000 }),
      fc.integer({ min: 1, max: 5_000 }),
      async (markup, at, size) => {
        const content = Buffer.concat([gif, Buffer.alloc(at, 0x20), Buffer.from(markup), Buffer.alloc(20)]);
        await expect(read(content, size)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
      },
    ),
    { numRuns: 50 },
  );
});

it('recognizes its own keys only', () => {
  const project = '0197c1f0-0000-7000-8000-000000000001';
  for (const type of imageTypes) expect(typeOfImageKey(newImageKey(project, type))).toBe(type);
  const random = 'a'.repeat(32);
  for (const key of [
    `${project}/${random}.svg`,
    `${project}/${random}.html`,
    `${project}/${random}.png.part`,
    `${project}/../${random}.png`,
    `../${random}.png`,
    `${project}/${random}`,
    `${project}\\${random}.png`,
    `/${project}/${random}.png`,
    `${project}/${random}.png\n`,
  ]) {
    expect(typeOfImageKey(key), key).toBeUndefined();
  }
});
