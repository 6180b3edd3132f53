import { CopyButton } from './copy-button.tsx';

interface CodeBlockProps {
  code: string;
  label: string;
  /** Copied instead of `code`, if `code` hides a secret. */
  copied?: string;
}

export function CodeBlock({ code, label, copied = code }: CodeBlockProps) {
  return (
    <div className="relative">
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll by keyboard
        tabIndex={0}
        className="overflow-x-auto rounded-lg border border-line bg-sunken p-4 pr-12"
      >
        <pre className="font-mono text-xs leading-5">{code}</pre>
      </section>
      <div className="absolute top-2 right-2">
        <CopyButton text={copied} />
      </div>
    </div>
  );
}
