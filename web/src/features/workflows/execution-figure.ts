import { type Accuracy, estimatedCount } from '../../ui/numbers.ts';

/** Counts up to this many are exact. */
const mostCounted = 50_000;

/** "12,408", or "about 120,000". */
export const executionFigure = (figure: number, accuracy: Accuracy): string =>
  estimatedCount(figure, figure > mostCounted ? accuracy : 'exact');
