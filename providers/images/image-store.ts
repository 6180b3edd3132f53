/** Where uploaded images are kept. */
export interface ImageStore {
  /**
   * Stores an image under a new key. When the bytes throw, or the store fails, nothing of it is left.
   *
   * @returns the address from which anybody can get it
   */
  put(key: string, contentType: string, bytes: AsyncIterable<Uint8Array>): Promise<string>;
  /** Removes an image, and what is left of one that broke off; one that is not there is no error. */
  remove(key: string): Promise<void>;
}

/** Of an image that never changes under its name: kept for a year without asking again. */
export const imageCacheControl = 'public, max-age=31536000, immutable';
