import { Link, type LinkProps } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { classNames } from './class-names.ts';
import { useSizeEffect } from './use-size-effect.ts';

interface PageProps {
  title: string;
  /** Shown after the title, such as a status. */
  badge?: ReactNode;
  /** One sentence on what the page is for. A space keeps its place until it is known, so that nothing below moves. */
  description?: ReactNode;
  /** Link to the list that this record belongs to. */
  back?: LinkProps & { label: string };
  /** At most one primary button, placed last. */
  actions?: ReactNode;
  /** Uses the full window width, for editors. */
  isWide?: boolean;
  /** Filters and tabs that stay visible while scrolling. */
  toolbar?: ReactNode;
  children: ReactNode;
}

export function Page({ title, badge, description, back, actions, isWide, toolbar, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Posthaste`;
  }, [title]);
  const header = useRef<HTMLElement>(null);
  useSizeEffect(header, tellHeight);
  return (
    <div className={classNames('mx-auto flex w-full flex-col px-4 pb-16 md:px-8', !isWide && 'max-w-6xl')}>
      <header
        ref={header}
        className={classNames(
          'top-0 z-20 -mx-4 flex flex-col gap-3 border-b border-line bg-canvas px-4 pt-5 pb-3 md:-mx-8 md:px-8',
          // On a phone, filters would leave little room for the list.
          toolbar ? 'md:sticky' : 'sticky',
          // At a zoom of 200%, or on a phone on its side, it would cover a third of the window.
          '[@media(max-height:28rem)]:static',
        )}
      >
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <div className="min-w-0 flex-1 basis-60">
            {back && <BackLink {...back} />}
            <div className="flex items-center gap-2">
              <h1
                id="page-title"
                title={title}
                className="min-w-0 truncate text-xl font-semibold tracking-tight"
              >
                {title}
              </h1>
              {badge}
            </div>
            {description && (
              // Lists say here how many rows the search has found.
              <p className="min-h-5 text-muted" role={toolbar ? 'status' : undefined}>
                {description}
              </p>
            )}
          </div>
          {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
        {toolbar && <div className="flex flex-wrap items-center gap-2">{toolbar}</div>}
      </header>
      <div className="flex flex-col gap-6 pt-5">{children}</div>
    </div>
  );
}

/** Keeps table headers below a page header that stays. */
function tellHeight(header: HTMLElement) {
  const height = getComputedStyle(header).position === 'sticky' ? header.offsetHeight : 0;
  header.parentElement?.style.setProperty('--page-header', `${height}px`);
}

function BackLink({ label, ...link }: LinkProps & { label: string }) {
  return (
    <Link {...link} className="-ml-1 inline-flex items-center text-sm text-muted hover:text-ink">
      <ChevronLeft aria-hidden className="size-4" />
      {label}
    </Link>
  );
}

interface SectionProps {
  title?: string;
  description?: ReactNode;
  actions?: ReactNode;
  className?: string;
  children: ReactNode;
}

/** A section of a page with a heading, without a frame. */
export function Section({ title, description, actions, className, children }: SectionProps) {
  return (
    <section className={classNames('flex min-w-0 flex-col gap-3', className)}>
      {(title || actions) && (
        <div className="flex flex-wrap items-end justify-between gap-2">
          <div>
            {title && <h2 className="font-semibold">{title}</h2>}
            {description && <p className="text-sm text-muted">{description}</p>}
          </div>
          {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
      )}
      {children}
    </section>
  );
}

/** A frame around a form or a figure. */
export function Panel({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <div className={classNames('rounded-lg border border-line bg-canvas p-4', className)}>{children}</div>
  );
}
