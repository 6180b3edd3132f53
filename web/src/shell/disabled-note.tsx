import { useProject } from './session.ts';

/** Above every page of a project that may not send. */
export function DisabledNote() {
  const { disabled, disabledReason } = useProject();
  if (!disabled) return null;
  return (
    <p role="status" className="bg-bad-soft px-4 py-2 text-sm text-bad md:px-8">
      This project is disabled and sends nothing{disabledReason === null ? '' : `: ${disabledReason}`}. What
      was accepted before waits. Ask whoever runs this server to enable the project once the cause is mended.
    </p>
  );
}
