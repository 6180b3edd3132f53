export interface ImageStore {
  /** Whether `put` holds all bytes in memory. */
  holdsImages: boolean;
  /**
   * Stores an image under a new key. Leaves nothing behind when the bytes or the store fail.
   *
   * @returns the public address
   */
  put(key: string, contentType: string, bytes: AsyncIterable<Uint8Array>): Promise<string>;
  urlOf(key: string): string;
  remove(key: string): Promise<void>;
}

/** An image never changes under its key: cached for a year without revalidation. */
export const imageCacheControl = 'public, max-age=31536000, immutable';
