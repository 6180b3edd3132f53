import { type Accuracy, estimatedCount } from '../../ui/numbers.ts';

/**
 * "12,408", or "about 120,000".
 *
 * @param mostCounted counts up to this many are exact
 */
export const executionFigure = (figure: number, accuracy: Accuracy, mostCounted = 50_000): string =>
  estimatedCount(figure, figure > mostCounted ? accuracy : 'exact');
