/** Ids only: the graph, its data and the execution's state are in the database. */
export interface WorkflowExecutionInput {
  executionId: string;
  /** Step run to continue with, counted from 1; earlier runs of the workflow have completed the ones before. */
  visit?: number;
  label?: string;
  /** Failed attempts at the call of `visit` so far. */
  failedAttempts?: number;
}

export interface RunStepInput {
  executionId: string;
  visit: number;
}

export type StepAnswer =
  | { follow: 'step'; visit: number; label: string }
  /** The step run ends after `ms`; for `wait`, also on the signal. `ms` null means only on the signal. */
  | { follow: 'sleep'; visit: number; label: string; ms: number }
  | { follow: 'wait'; visit: number; label: string; ms: number | null }
  | { follow: 'call'; visit: number; label: string }
  | { follow: 'end'; status: string };

/** Short database-only steps; each is idempotent. */
export interface WorkflowStepActivities {
  runStep(input: RunStepInput): Promise<StepAnswer>;
  failStep(input: RunStepInput & { reason: string }): Promise<void>;
}

export interface WebhookActivities {
  /**
   * Makes the call of a WEBHOOK step and stores the response, unless the step run or the execution has ended. A call
   * with an unknown outcome is not repeated.
   *
   * @returns nothing, or that the call was not made and when to try again
   */
  callWebhook(input: RunStepInput): Promise<CallLater | undefined>;
}

/** Enough of the project's calls are under way, or of its slow templates wait for their turn already. */
export interface CallLater {
  retryInMs: number;
  /** Attempts of this activity that failed before. */
  failedAttempts: number;
}

export const workflowExecutionWorkflow = 'workflowExecution';
/** The execution's event arrived, or the execution was canceled. Carries no data: the row is authoritative. */
export const executionChangedSignal = 'changed';
