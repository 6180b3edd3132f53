import { readFile } from 'node:fs/promises';
import writeFileAtomic from 'write-file-atomic';
import type { z } from 'zod';

/** A small JSON file that is read once and replaced as a whole after each change. */
export class StateFile<Schema extends z.ZodType> {
  readonly #path: string;
  #value: z.output<Schema>;
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, value: z.output<Schema>) {
    this.#path = path;
    this.#value = value;
  }

  /** @param schema parses `{}` when there is no file yet, so every member needs a default */
  static async open<Schema extends z.ZodType>(path: string, schema: Schema): Promise<StateFile<Schema>> {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{}';
      throw error;
    });
    return new StateFile(path, schema.parse(JSON.parse(text)));
  }

  get value(): z.output<Schema> {
    return this.#value;
  }

  update(change: (value: z.output<Schema>) => z.output<Schema>): Promise<void> {
    this.#value = change(this.#value);
    const text = JSON.stringify(this.#value, null, 2);
    // Writes to one path are queued, so the last value wins.
    this.#writing = writeFileAtomic(this.#path, text, { mode: 0o600 });
    return this.#writing;
  }

  close(): Promise<void> {
    return this.#writing;
  }
}
