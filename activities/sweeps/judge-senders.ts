import { newId } from '../../core/new-id.ts';
import { judgeSender } from '../../core/project-security.ts';
import type { Em } from '../../db/orm.ts';
import { foldEmailFigures, readEmailFigures } from '../../db/repositories/projects/project-email-figures.ts';
import { suspendProject } from '../../db/repositories/projects/project-suspensions.ts';
import type { TellOwners } from './tell-owners.ts';

/** Projects judged in one query. */
const judgedAtOnce = 500;

/**
 * Folds what became of emails into the figures of their projects, and disables the projects whose last seven days are
 * critical, which their owners are told by email. Only those are looked at whose figures have changed since the last run: one that an operator has enabled
 * again has until its next email to be better.
 *
 * @param options `autoDisable` is `AUTO_PROJECT_DISABLE`
 */
export async function judgeSenders(
  em: Em,
  { autoDisable, tellOwners }: { autoDisable: boolean; tellOwners: TellOwners },
): Promise<{ folded: number; disabled: number }> {
  const { folded, projectIds } = await foldEmailFigures(em);
  let disabled = 0;
  for (let at = 0; autoDisable && at < projectIds.length; at += judgedAtOnce) {
    for (const { projectId, week } of await readEmailFigures(em, projectIds.slice(at, at + judgedAtOnce))) {
      const verdict = judgeSender(week);
      const { level, bounceLevel, bounceRate, complaintRate } = verdict;
      if (level !== 'critical') continue;
      const reason =
        bounceLevel === 'critical'
          ? `${bounceRate} % of the emails of the last seven days bounced`
          : `${complaintRate} % of the emails of the last seven days were complained about`;
      await em.transactional(async (inside) => {
        if (!(await suspendProject(inside, { id: newId(), projectId, reason, ...week }))) return;
        await tellOwners(inside, projectId, verdict);
        disabled += 1;
      });
    }
  }
  return { folded, disabled };
}
