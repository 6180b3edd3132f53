import { newId } from '../../core/new-id.ts';
import { judgeSender } from '../../core/project-security.ts';
import type { Em } from '../../db/orm.ts';
import { foldEmailFigures, readEmailFigures } from '../../db/repositories/projects/project-email-figures.ts';
import { suspendProject } from '../../db/repositories/projects/project-suspensions.ts';

/** Projects judged in one query. */
const judgedAtOnce = 500;

/**
 * Folds what became of emails into the figures of their projects, and disables the projects whose last seven days are
 * critical. Only those are looked at whose figures have changed since the last run: one that an operator has enabled
 * again has until its next email to be better.
 *
 * @param autoDisable `AUTO_PROJECT_DISABLE`
 */
export async function judgeSenders(
  em: Em,
  autoDisable: boolean,
): Promise<{ folded: number; disabled: number }> {
  const { folded, projectIds } = await foldEmailFigures(em);
  let disabled = 0;
  for (let at = 0; autoDisable && at < projectIds.length; at += judgedAtOnce) {
    for (const { projectId, week } of await readEmailFigures(em, projectIds.slice(at, at + judgedAtOnce))) {
      const { level, bounceLevel, bounceRate, complaintRate } = judgeSender(week);
      if (level !== 'critical') continue;
      const reason =
        bounceLevel === 'critical'
          ? `${bounceRate} % of the emails of the last seven days bounced`
          : `${complaintRate} % of the emails of the last seven days were complained about`;
      if (await suspendProject(em, { id: newId(), projectId, reason, ...week })) disabled += 1;
    }
  }
  return { folded, disabled };
}
