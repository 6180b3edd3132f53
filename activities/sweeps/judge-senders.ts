import { newId } from '../../core/new-id.ts';
import { judgeSender } from '../../core/project-security.ts';
import type { Em } from '../../db/orm.ts';
import {
  type EmailDay,
  foldEmailFigures,
  holdUnjudgedDays,
  markJudged,
  type ProjectEmailFigures,
  readEmailFigures,
} from '../../db/repositories/projects/project-email-figures.ts';
import { suspendProject } from '../../db/repositories/projects/project-suspensions.ts';
import type { TellOwners } from './tell-owners.ts';

/** Days of projects judged in one transaction. */
const judgedAtOnce = 500;
/** Before the id of every project. */
const first = '00000000-0000-0000-0000-000000000000';

/**
 * Folds what became of emails into the figures of their projects, and disables the projects whose last seven days are
 * critical, which their owners are told by email. Each project is judged after every change of its figures, whatever
 * happens to a run, and only then: one that an operator has enabled again has until its next email to be better.
 *
 * @param options `autoDisable` is `AUTO_PROJECT_DISABLE`
 * @throws Error when a critical project could not be disabled, after all others were; the next run tries it again
 */
export async function judgeSenders(
  em: Em,
  { autoDisable, tellOwners }: { autoDisable: boolean; tellOwners: TellOwners },
): Promise<{ folded: number; disabled: number }> {
  const folded = await foldEmailFigures(em);
  let disabled = 0;
  const failures: unknown[] = [];
  let after: string | undefined = first;
  while (autoDisable && after !== undefined) {
    const { days, critical } = await judgeDays(em, after);
    for (const project of critical) {
      const own = days.filter(({ projectId }) => projectId === project.projectId);
      try {
        if (await disable(em, project, own, tellOwners)) disabled += 1;
      } catch (error) {
        failures.push(error);
      }
    }
    after = days.length < judgedAtOnce ? undefined : days.at(-1)?.projectId;
  }
  if (failures.length > 0) {
    throw new Error(`Critical projects could not be disabled: ${failures.length}`, { cause: failures[0] });
  }
  return { folded, disabled };
}

/** Judges the projects of the next days. Those of critical ones stay unjudged. */
function judgeDays(em: Em, after: string): Promise<{ days: EmailDay[]; critical: ProjectEmailFigures[] }> {
  return em.transactional(async (inside) => {
    const days = await holdUnjudgedDays(inside, after, judgedAtOnce);
    const ids = new Set(days.map(({ projectId }) => projectId));
    const figures = await readEmailFigures(inside, [...ids]);
    const critical = figures.filter(({ week }) => judgeSender(week).level === 'critical');
    for (const { projectId } of critical) ids.delete(projectId);
    await markJudged(
      inside,
      days.filter(({ projectId }) => ids.has(projectId)),
    );
    return { days, critical };
  });
}

/** @returns false when the project is disabled already */
function disable(
  em: Em,
  { projectId, week }: ProjectEmailFigures,
  days: readonly EmailDay[],
  tellOwners: TellOwners,
): Promise<boolean> {
  const verdict = judgeSender(week);
  const { bounceLevel, bounceRate, complaintRate } = verdict;
  const reason =
    bounceLevel === 'critical'
      ? `${bounceRate} % of the emails of the last seven days bounced`
      : `${complaintRate} % of the emails of the last seven days were complained about`;
  return em.transactional(async (inside) => {
    await markJudged(inside, days);
    if (!(await suspendProject(inside, { id: newId(), projectId, reason, ...week }))) return false;
    await tellOwners(inside, projectId, verdict);
    return true;
  });
}
