import { LRUCache } from 'lru-cache';
import type { TemplateKind } from './engine.ts';
import { type CompileResult, compileTemplate } from './template.ts';

export interface TemplateCache {
  /** As `compileTemplate`, from memory when the same source was compiled lately. */
  compile(source: string, options: { kind: TemplateKind }): CompileResult;
}

/**
 * Keeps compiled templates by their source, least recently used out first. Failures are kept too.
 *
 * @param maxCharacters of source; compiled, a template takes some ten times as many bytes
 */
export function createTemplateCache(maxCharacters = 8_000_000): TemplateCache {
  const newCache = () => new LRUCache<string, CompileResult>({ maxSize: Math.ceil(maxCharacters / 2) });
  const caches: Record<TemplateKind, LRUCache<string, CompileResult>> = {
    html: newCache(),
    text: newCache(),
  };
  return {
    compile(source, options) {
      const cache = caches[options.kind];
      const known = cache.get(source);
      if (known) return known;
      const result = compileTemplate(source, options);
      cache.set(source, result, { size: source.length + 1 });
      return result;
    },
  };
}
