import { measureParts } from './campaign-parts.ts';

console.table(await measureParts());
process.exit(0);
