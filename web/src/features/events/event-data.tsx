/** One line of JSON that expands. */
export function EventData({ data }: { data: Record<string, unknown> }) {
  if (Object.keys(data).length === 0) return <span className="text-faint">None</span>;
  return (
    <details>
      <summary className="truncate font-mono text-xs">{JSON.stringify(data)}</summary>
      <pre className="mt-2 max-h-80 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs">
        {JSON.stringify(data, null, 2)}
      </pre>
    </details>
  );
}
