import { nilId } from '../../../core/nil-id.ts';
import { evaluateSender, type SenderFigures } from '../../../core/project-security.ts';
import { Project } from '../../../db/entities/project.ts';
import { ProjectSuspension } from '../../../db/entities/project-security.ts';
import { lockRecord } from '../../../db/lock-record.ts';
import type { Em } from '../../../db/orm.ts';
import {
  type EmailDay,
  foldEmailFigures,
  lockUnevaluatedDays,
  markEvaluated,
  type ProjectEmailFigures,
  readEmailFigures,
} from '../../../db/statements/projects/email-figures.ts';
import { notifyProjectChange } from '../../../db/statements/projects/notify-project-change.ts';
import type { NotifyOwners } from './notify-owners.ts';

const daysPerTransaction = 500;
/**
 * Folds email outcomes into project figures, disables projects whose last seven days are critical, and emails their
 * owners. A project is evaluated after each change of its figures, even if a run fails in between, and only then: a
 * project re-enabled by an operator stays enabled until its next outcome.
 *
 * @param options `autoDisable` is `AUTO_PROJECT_DISABLE`
 * @throws Error when a critical project could not be disabled, after processing all others; the next run retries it
 */
export async function suspendSenders(
  em: Em,
  {
    autoDisable,
    notifyOwners,
    counted,
  }: { autoDisable: boolean; notifyOwners: NotifyOwners; counted?: (figures: SenderFigures) => void },
): Promise<{ folded: number; disabled: number }> {
  const folded = await foldEmailFigures(em, counted);
  let disabled = 0;
  const failures: unknown[] = [];
  let after: string | undefined = nilId;
  while (autoDisable && after !== undefined) {
    const { days, critical } = await evaluateDays(em, after);
    for (const project of critical) {
      const own = days.filter(({ projectId }) => projectId === project.projectId);
      try {
        if (await disable(em, project, own, notifyOwners)) disabled += 1;
      } catch (error) {
        failures.push(error);
      }
    }
    after = days.length < daysPerTransaction ? undefined : days.at(-1)?.projectId;
  }
  if (failures.length > 0) {
    throw new Error(`Critical projects could not be disabled: ${failures.length}`, { cause: failures[0] });
  }
  return { folded, disabled };
}

/** Evaluates the next projects. The days of critical ones stay marked for the transaction that disables them. */
function evaluateDays(em: Em, after: string): Promise<{ days: EmailDay[]; critical: ProjectEmailFigures[] }> {
  return em.fork().transactional(async (inside) => {
    const days = await lockUnevaluatedDays(inside, after, daysPerTransaction);
    const ids = new Set(days.map(({ projectId }) => projectId));
    const figures = await readEmailFigures(inside, [...ids]);
    const critical = figures.filter(({ week }) => evaluateSender(week).level === 'critical');
    for (const { projectId } of critical) ids.delete(projectId);
    await markEvaluated(
      inside,
      days.filter(({ projectId }) => ids.has(projectId)),
    );
    return { days, critical };
  });
}

function disable(
  em: Em,
  { projectId, week }: ProjectEmailFigures,
  days: readonly EmailDay[],
  notifyOwners: NotifyOwners,
): Promise<boolean> {
  const verdict = evaluateSender(week);
  const { bounceLevel, bounceRate, complaintRate } = verdict;
  const reason =
    bounceLevel === 'critical'
      ? `${bounceRate} % of the emails of the last seven days bounced`
      : `${complaintRate} % of the emails of the last seven days were complained about`;
  return em.fork().transactional(async (inside) => {
    await markEvaluated(inside, days);
    const project = await lockRecord(inside, Project, { id: projectId });
    if (!project?.suspend(reason)) return false;
    inside.create(ProjectSuspension, { projectId, reason, ...week });
    await notifyProjectChange(inside, projectId);
    await notifyOwners(inside, projectId, verdict);
    return true;
  });
}
