import { readFile, rename, writeFile } from 'node:fs/promises';
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

  /** Changes the value at once and resolves when the change is on disk. */
  update(change: (value: z.output<Schema>) => z.output<Schema>): Promise<void> {
    this.#value = change(this.#value);
    const text = JSON.stringify(this.#value, null, 2);
    this.#writing = this.#writing
      .catch(() => {})
      .then(async () => {
        await writeFile(`${this.#path}.new`, text, { mode: 0o600, flush: true });
        await rename(`${this.#path}.new`, this.#path);
      });
    return this.#writing;
  }

  /** Waits for the last change. */
  close(): Promise<void> {
    return this.#writing;
  }
}
