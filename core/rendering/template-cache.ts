import { LRUCache } from 'lru-cache';
import type { TemplateKind } from './engine.ts';
import { type CompileResult, compileTemplate } from './template.ts';

export type TemplateCache = ReturnType<typeof createTemplateCache>;

/**
 * LRU cache of compiled templates by source, including failures.
 *
 * @param maxCharacters of source; a compiled template takes about ten times as many bytes
 */
export function createTemplateCache(maxCharacters = 8_000_000) {
  const newCache = (kind: TemplateKind) =>
    new LRUCache<string, CompileResult>({
      maxSize: Math.ceil(maxCharacters / 2),
      sizeCalculation: (_result, source) => source.length + 1,
      memoMethod: (source) => compileTemplate(source, kind),
    });
  const caches = { html: newCache('html'), text: newCache('text') };
  return { compile: (source: string, kind: TemplateKind): CompileResult => caches[kind].memo(source) };
}
