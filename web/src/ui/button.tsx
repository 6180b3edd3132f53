import { Link, type LinkProps } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button';
import { classNames } from './class-names.ts';
import { Tooltip } from './tooltip.tsx';

type Look = 'primary' | 'secondary' | 'quiet' | 'danger';

const looks: Record<Look, string> = {
  primary: 'bg-accent text-accent-ink hover:brightness-110',
  secondary: 'border border-line-strong bg-canvas text-ink hover:bg-hover',
  quiet: 'text-muted hover:bg-hover hover:text-ink',
  danger: 'border border-bad/40 text-bad hover:bg-bad-soft',
};

const shape =
  'inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-md px-3 font-medium whitespace-nowrap ' +
  'transition-colors duration-100 disabled:opacity-50 data-[disabled]:opacity-50';

interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'children'> {
  look?: Look;
  className?: string;
  children: ReactNode;
}

/** Use at most one primary button per page. While `isPending`, presses are ignored and a screen reader announces it. */
export function Button({ look = 'secondary', className, children, ...props }: ButtonProps) {
  return (
    <AriaButton {...props} className={classNames(shape, looks[look], className)}>
      {({ isPending }) => (
        <>
          {isPending && (
            <span className="size-3 animate-spin rounded-full border-2 border-current border-t-transparent" />
          )}
          {children}
        </>
      )}
    </AriaButton>
  );
}

interface IconButtonProps extends Omit<AriaButtonProps, 'className' | 'children' | 'aria-label'> {
  /** What the button does: its tooltip and accessible name. */
  label: string;
  className?: string;
  children: ReactNode;
}

export function IconButton({ label, className, children, ...props }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <AriaButton
        {...props}
        aria-label={label}
        className={classNames(
          'inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink disabled:opacity-40 data-pending:opacity-40',
          className,
        )}
      >
        {children}
      </AriaButton>
    </Tooltip>
  );
}

/** A link of the dashboard that looks like a button. */
export function ButtonLink({
  look = 'secondary',
  className,
  ...props
}: LinkProps & { look?: Look; className?: string }) {
  return <Link {...props} className={classNames(shape, looks[look], className)} />;
}

const linkLook =
  'text-accent-text underline decoration-line-strong underline-offset-2 hover:decoration-current';

/** A link within text. */
export function TextLink({ className, ...props }: LinkProps & { className?: string }) {
  return <Link {...props} className={classNames(linkLook, className)} />;
}

/** The first cell of a row that opens a record. */
export function RowLink({ className, ...props }: LinkProps & { className?: string }) {
  return <Link {...props} className={classNames('font-medium text-ink hover:underline', className)} />;
}

/** A link to another site, or to a page of the API; opens in a new tab. */
export function OutsideLink({ className, ...props }: ComponentProps<'a'>) {
  return <a {...props} target="_blank" rel="noreferrer" className={classNames(linkLook, className)} />;
}
