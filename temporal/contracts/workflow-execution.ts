/** Ids only: the graph, its data and where the execution stands are in the database. */
export interface WorkflowExecutionInput {
  executionId: string;
  /** Number of the step run to go on with, from 1; earlier runs of the workflow have been through those before. */
  visit?: number;
  /** Of that step, for the operator to read. */
  label?: string;
}

export interface RunStepInput {
  executionId: string;
  visit: number;
}

/** What follows; `visit` and `label` are of the step run that the next call is about. */
export type StepAnswer =
  /** The step is over. */
  | { follow: 'step'; visit: number; label: string }
  /** The step is over when the time has passed, or for `wait` when the signal comes; `ms` null: only then. */
  | { follow: 'sleep'; visit: number; label: string; ms: number }
  | { follow: 'wait'; visit: number; label: string; ms: number | null }
  /** The step is a call to the world. */
  | { follow: 'call'; visit: number; label: string }
  | { follow: 'end'; status: string };

/** Short steps that touch the database only; each may be repeated at any time. */
export interface WorkflowStepActivities {
  /** Enters the step run of that number, or looks whether it is over, and says what follows. Acts once. */
  runStep(input: RunStepInput): Promise<StepAnswer>;
  /** Ends an execution whose call did not succeed. */
  failStep(input: RunStepInput & { reason: string }): Promise<void>;
}

export interface WebhookActivities {
  /**
   * Makes the call of a WEBHOOK step and keeps its answer, unless it is over or the execution is. A call whose outcome
   * nobody knows is not made again.
   */
  callWebhook(input: RunStepInput): Promise<void>;
}

export const workflowExecutionWorkflow = 'workflowExecution';
/** Says that the execution has changed: its event came, or it was cancelled. Carries nothing, the row is what counts. */
export const executionChangedSignal = 'changed';
