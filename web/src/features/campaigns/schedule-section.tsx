import { useState } from 'react';
import { TextField } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { RadioChoice } from '../../ui/radio-choice.tsx';
import { createFullText } from '../../ui/time-text.ts';

interface Schedule {
  isLater: boolean;
  /** The value of the field, in the user's time zone: `2026-12-01T09:00`. */
  text: string;
  /** Null sends immediately. Also null while `fault` is set. */
  at: Date | null;
  /** Why the campaign can't be scheduled for this time. */
  fault: string | null;
  /** The selected time has not been saved yet. */
  isChanged: boolean;
  set: (isLater: boolean, text: string) => void;
}

const hourMs = 3_600_000;

/** `2026-12-01T09:00` in the user's time zone. */
function toLocalText(instant: Date): string {
  const local = new Date(instant.getTime() - instant.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

const nextHour = () => new Date(Math.ceil((Date.now() + hourMs / 4) / hourMs) * hourMs);

/** Later ones are more likely mistyped. */
const longestMs = 2 * 366 * 24 * hourMs;

/** Why a campaign can't be scheduled for the time. The API sends immediately if it has passed. */
export function timeFault(instant: Date): string | null {
  const aheadMs = instant.getTime() - Date.now();
  if (aheadMs <= 0) return 'This time has passed';
  return aheadMs > longestMs ? 'This time is more than two years ahead' : null;
}

export function useSchedule(scheduledFor: string | null): Schedule {
  const [suggested] = useState(() => toLocalText(nextHour()));
  const stored = {
    isLater: scheduledFor !== null,
    text: scheduledFor === null ? suggested : toLocalText(new Date(scheduledFor)),
  };
  // The user's choice; dropped once it is saved, or when somebody else reschedules the campaign.
  const [choice, setChoice] = useState<{ instead: string | null; isLater: boolean; text: string }>();
  const { isLater, text } = choice?.instead === scheduledFor ? choice : stored;
  const instant = new Date(text);
  const isValid = !Number.isNaN(instant.getTime());
  return {
    isLater,
    text,
    at: isLater && isValid ? instant : null,
    fault: !isLater ? null : isValid ? timeFault(instant) : 'Enter a date and a time',
    isChanged: isLater !== stored.isLater || (isLater && text !== stored.text),
    set: (later, next) => setChoice({ instead: scheduledFor, isLater: later, text: next }),
  };
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const fullText = createFullText();

/** "Tuesday, 1 December 2026 at 09:00 (Europe/Berlin)" */
export const timeWithZone = (instant: Date): string => `${fullText(instant)} (${zone})`;

const choices = [
  { value: 'now', label: 'As soon as I confirm' },
  { value: 'later', label: 'At a set time' },
] as const;

export function ScheduleSection({ schedule }: { schedule: Schedule }) {
  const { isLater, text, at, fault, set } = schedule;
  return (
    <Section title="When">
      <RadioChoice
        label="When to send"
        options={choices}
        value={isLater ? 'later' : 'now'}
        onChange={(value) => set(value === 'later', text)}
      />
      {isLater && (
        <TextField
          type="datetime-local"
          label={`Date and time in your zone, ${zone}`}
          className="max-w-xs"
          value={text}
          onChange={(next) => set(true, next)}
          {...(fault !== null ? { error: fault } : at !== null && { hint: timeWithZone(at) })}
        />
      )}
    </Section>
  );
}
