import { LRUCache } from 'lru-cache';
import type { TemplateKind } from './engine.ts';
import { type CompileResult, compileTemplate } from './template.ts';

export type TemplateCache = ReturnType<typeof createTemplateCache>;

/** Of a source that does not compile: its key, and the fault. */
const faultBytes = 500;

/** LRU cache of compiled templates by source, including failures. Many senders send each source once. */
export function createTemplateCache(maxBytes = 32_000_000) {
  const newCache = (kind: TemplateKind) =>
    new LRUCache<string, CompileResult>({
      maxSize: Math.ceil(maxBytes / 2),
      sizeCalculation: (result, source) => (result.ok ? result.template.bytes : faultBytes + source.length),
      memoMethod: (source) => compileTemplate(source, kind),
    });
  const caches = { html: newCache('html'), text: newCache('text') };
  return { compile: (source: string, kind: TemplateKind): CompileResult => caches[kind].memo(source) };
}
