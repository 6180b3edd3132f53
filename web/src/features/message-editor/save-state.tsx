import { Time } from '../../ui/time.tsx';

export function SaveState({ isDirty, savedAt }: { isDirty: boolean; savedAt: string }) {
  return (
    <span className="text-sm text-muted" role="status">
      {isDirty ? (
        'Not saved'
      ) : (
        <>
          Saved <Time at={savedAt} />
        </>
      )}
    </span>
  );
}
