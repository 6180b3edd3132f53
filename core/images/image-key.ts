import { randomBytes } from 'node:crypto';

const extensions = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/webp': 'webp',
} as const;

export type ImageType = keyof typeof extensions;

export const imageTypes: readonly ImageType[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

const keyForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/[0-9a-f]{32}\.(?<extension>[a-z]{3,4})$/;

/** `<project id>/<random>.<extension>`, with 128 random bits so that it can't be guessed. */
export function newImageKey(projectId: string, type: ImageType): string {
  return `${projectId}/${randomBytes(16).toString('hex')}.${extensions[type]}`;
}

export function typeOfImageKey(key: string): ImageType | undefined {
  const extension = keyForm.exec(key)?.groups?.extension;
  return imageTypes.find((type) => extensions[type] === extension);
}
