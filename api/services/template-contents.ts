import { LRUCache } from 'lru-cache';
import { orNotFound } from '../../core/errors.ts';
import { Batcher } from '../../db/batching/batcher.ts';
import type { Orm } from '../../db/orm.ts';
import {
  readTemplateContents,
  type TemplateContent,
} from '../../db/statements/templates/read-template-contents.ts';

export type TemplateContents = ReturnType<typeof createTemplateContents>;

const maxCharacters = 8_000_000;
/** Per statement, up to 512 KB each. */
const templatesAtOnce = 20;

interface Known {
  version: Date;
  content: TemplateContent;
}

interface Lookup {
  projectId: string;
  id: string;
}

const keyOf = ({ projectId, id }: Lookup) => `${projectId} ${id}`;

/**
 * Reads templates for sends. Every send checks the version in the database, so that a change applies to the next send
 * in every process; the content is transferred only when it changed. Concurrent reads are batched.
 */
export function createTemplateContents(orm: Orm) {
  const cache = new LRUCache<string, Known>({
    maxSize: maxCharacters,
    sizeCalculation: ({ content }) => content.subject.length + content.body.length,
  });

  async function readAll(items: Lookup[]): Promise<(TemplateContent | undefined)[]> {
    const wanted = [...new Map(items.map((item) => [keyOf(item), item])).values()];
    const known = new Map(wanted.map((item) => [keyOf(item), cache.get(keyOf(item))]));
    const found = await readTemplateContents(
      orm.em.fork(),
      wanted.map((item) => ({ ...item, known: known.get(keyOf(item))?.version ?? null })),
    );
    const contents = new Map<string, TemplateContent | undefined>();
    for (const template of found) {
      const { version, content } = template;
      const key = keyOf(template);
      contents.set(key, content ?? known.get(key)?.content);
      if (content !== null) cache.set(key, { version, content });
    }
    return items.map((item) => contents.get(keyOf(item)));
  }

  const lookups = new Batcher<Lookup, TemplateContent | undefined>({
    run: readAll,
    maxItems: templatesAtOnce,
    concurrency: 2,
    groupOf: ({ projectId }) => projectId,
  });

  return {
    async read(projectId: string, id: string) {
      return orNotFound(await lookups.submit({ projectId, id }), 'Template');
    },
  };
}
