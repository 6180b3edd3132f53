import { useProject } from './session.ts';

/** Shown above every page of a disabled project. */
export function DisabledNote() {
  const { disabled, disabledReason } = useProject();
  if (!disabled) return null;
  return (
    <p role="status" className="bg-bad-soft px-4 py-2 text-sm text-bad md:px-8">
      This project is disabled and sends nothing{disabledReason === null ? '' : `: ${disabledReason}`}. Emails
      accepted before that wait. Once the cause is fixed, ask the operator of this server to enable it.
    </p>
  );
}
