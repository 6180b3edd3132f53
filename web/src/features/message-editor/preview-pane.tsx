import { Monitor, Moon, Smartphone, Sun, Type } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { ToggleButton } from 'react-aria-components/ToggleButton';
import { ToggleButtonGroup } from 'react-aria-components/ToggleButtonGroup';
import { Mailbox } from '../../ui/address.tsx';
import { IconButton } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { count } from '../../ui/numbers.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';
import { ContactPicker } from './contact-picker.tsx';
import { EmailFrame } from './email-frame.tsx';
import type { Preview } from './use-preview.ts';
import { readPreviewText } from './visual/preview-text.ts';

const views = [
  { id: 'desktop', label: 'Desktop', icon: Monitor },
  { id: 'phone', label: 'Phone', icon: Smartphone },
  { id: 'text', label: 'Text part', icon: Type },
] as const;
type View = (typeof views)[number]['id'];

/** Gmail clips longer emails. */
const clippedBytes = 102 * 1024;

interface PreviewPaneProps {
  preview: Preview;
  readerAddress: string;
  onReader: (address: string) => void;
}

/** Previews the email as a recipient sees it. */
export function PreviewPane({ preview, readerAddress, onReader }: PreviewPaneProps) {
  const [view, setView] = useState<View>(() => (window.innerWidth < 640 ? 'phone' : 'desktop'));
  const [isDark, setIsDark] = useState(false);
  const { email, broken, hasGood, sender, error, retry, isBehind } = preview;
  const isMissing = broken.includes('body') && !hasGood;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex flex-wrap items-center gap-2 border-b border-line bg-sunken px-2 py-1.5">
        <ContactPicker value={readerAddress} onChange={onReader} />
        <ViewChoice view={view} onView={setView} />
        <IconButton
          label={isDark ? 'Show on a light background' : 'Show on a dark background'}
          onPress={() => setIsDark(!isDark)}
        >
          {isDark ? <Sun className="size-4" /> : <Moon className="size-4" />}
        </IconButton>
      </div>
      <div className="border-b border-line px-3 py-2">
        <p className="truncate">
          {email?.subject ? (
            <span className="font-medium">{email.subject}</span>
          ) : (
            <span className="text-faint">No subject</span>
          )}
          <span className="ml-2 text-muted">{email && readPreviewText(email.html)}</span>
        </p>
        <p className="truncate text-sm text-muted">
          <Mailbox name={sender.fromName} address={sender.from || 'No sender'} />
        </p>
        <p className="text-xs text-muted" data-numeric aria-live="polite">
          {email && <Size bytes={email.sizeBytes} />}
          {isBehind ? ' · updating' : ''}
        </p>
      </div>
      <ErrorNote error={error} onRetry={retry} className="m-3" />
      {broken.length > 0 && (
        <p role="status" className="border-b border-line bg-warn-soft px-3 py-1.5 text-sm text-warn">
          The {broken.join(' and the ')} can’t be rendered as written.{' '}
          {hasGood ? 'This is the last version that rendered.' : 'Fix the problems below to see the preview.'}
        </p>
      )}
      <div className={classNames('min-h-0 flex-1 overflow-auto', isDark ? 'bg-black' : 'bg-hover')}>
        {email === undefined || isMissing ? (
          !error && !isMissing && <Skeleton className="h-full w-full" />
        ) : (
          <Shown view={view}>
            {view === 'text' ? (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: it can be scrolled by keyboard
              <section aria-label="Text part" tabIndex={0} className="h-full overflow-auto bg-canvas p-4">
                <pre className="font-mono text-xs whitespace-pre-wrap">{email.text}</pre>
              </section>
            ) : (
              <EmailFrame html={email.html} isDark={isDark} isDesktop={view === 'desktop'} />
            )}
          </Shown>
        )}
      </div>
    </div>
  );
}

function Size({ bytes }: { bytes: number }) {
  const text = `${count(Math.ceil(bytes / 1024))} KB`;
  if (bytes <= clippedBytes) return text;
  return <span className="text-warn">{text}, Gmail clips it at 102 KB</span>;
}

function Shown({ view, children }: { view: View; children: ReactNode }) {
  return (
    <div className={classNames('mx-auto h-full', view === 'phone' && 'max-w-[375px] border-x border-line')}>
      {children}
    </div>
  );
}

function ViewChoice({ view, onView }: { view: View; onView: (view: View) => void }) {
  return (
    <ToggleButtonGroup
      aria-label="View"
      disallowEmptySelection
      selectedKeys={[view]}
      onSelectionChange={(keys) => {
        const chosen = views.find(({ id }) => keys.has(id));
        if (chosen) onView(chosen.id);
      }}
      className="flex rounded-md border border-line-strong bg-canvas"
    >
      {views.map(({ id, label, icon: Icon }) => (
        <Tooltip key={id} text={label}>
          <ToggleButton
            id={id}
            aria-label={label}
            className="flex size-7.5 items-center justify-center rounded text-muted data-[hovered]:text-ink data-[selected]:bg-accent-soft data-[selected]:text-accent-text"
          >
            <Icon aria-hidden className="size-4" />
          </ToggleButton>
        </Tooltip>
      ))}
    </ToggleButtonGroup>
  );
}
