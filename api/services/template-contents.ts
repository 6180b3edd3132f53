import { LRUCache } from 'lru-cache';
import { notFound } from '../../core/errors.ts';
import { createBatcher } from '../../db/batching/create-batcher.ts';
import { isRolledBack } from '../../db/batching/is-rolled-back.ts';
import type { Orm } from '../../db/orm.ts';
import {
  readTemplateContents,
  type TemplateContent,
} from '../../db/repositories/templates/template-contents.ts';

export interface TemplateContents {
  /** What a template of the project says now. @throws DomainError `NOT_FOUND` */
  read(projectId: string, id: string): Promise<TemplateContent>;
}

/** Characters of subjects and bodies that a process keeps. */
const maxCharacters = 8_000_000;

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
 * The contents of templates for sends. Every send asks the database for the version, so that a change holds for
 * the next send of every process; the content itself, which may be long, travels only when it has changed. Sends
 * of one moment share the question.
 */
export function createTemplateContents(orm: Orm): TemplateContents {
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

  const lookups = createBatcher<Lookup, TemplateContent | undefined>({
    run: readAll,
    maxItems: 200,
    concurrency: 2,
    isRolledBack,
  });

  return {
    async read(projectId, id) {
      const content = await lookups.submit({ projectId, id });
      if (content === undefined) throw notFound('Template');
      return content;
    },
  };
}
