import { createTemplateCache } from '../../core/rendering/template-cache.ts';
import { createCpuTurns } from './cpu-turns.ts';

export type TemplateTurns = ReturnType<typeof createTemplateTurns>;

/** Few templates take longer to parse or render. */
const longMs = 10;

/** The compiled templates of a process, and the CPU time that it spends on each project's templates. */
export const createTemplateTurns = () => ({
  cache: createTemplateCache(),
  ...createCpuTurns('large templates of this project', longMs),
});
