import { randomGroups } from './condition.ts';

type Part = { name: string; condition: Record<string, unknown> };

/**
 * The parts of an audience for a test of two subjects: one for each of them, and the others, if there are any. They are
 * ranges of random groups, so that each contact is in one part, whichever campaign is sent first.
 *
 * @param audience groups of a condition that all have to hold; none for all contacts
 * @param percent of the audience for each subject, at most 50
 * @param first group of the first part; the groups form a ring, so that another test may ask other contacts
 */
export function subjectTestParts(audience: readonly unknown[], percent: number, first: number): Part[] {
  const rest = randomGroups - 2 * percent;
  const part = (name: string, offset: number, size: number): Part => ({
    name,
    condition: { logic: 'AND', groups: [...audience, groupOf((first + offset) % randomGroups, size)] },
  });
  return [
    part('A', 0, percent),
    part('B', percent, percent),
    ...(rest > 0 ? [part('the rest', 2 * percent, rest)] : []),
  ];
}

function groupOf(first: number, size: number) {
  const end = first + size;
  const from = { field: 'randomGroup', operator: 'greaterThanOrEqual', value: first };
  const below = (value: number) => ({ field: 'randomGroup', operator: 'lessThan', value });
  if (end <= randomGroups) return { filters: [from, below(end)] };
  const groups = [{ filters: [from] }, { filters: [below(end - randomGroups)] }];
  return { filters: [], conditions: { logic: 'OR', groups } };
}
