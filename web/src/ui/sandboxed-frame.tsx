import { type CSSProperties, useEffect, useEffectEvent, useRef, useState } from 'react';
import { classNames } from './class-names.ts';

interface SandboxedFrameProps {
  title: string;
  html: string;
  className?: string;
  style?: CSSProperties;
}

/** How long an image may delay what is shown. */
const longestLoadMs = 2_000;

/**
 * Shows the HTML of an email. The sandbox grants nothing: no scripts run, and links can't navigate the dashboard. Other
 * HTML replaces it once it has loaded, because an empty frame would flash. It is shown from its top: to read the scroll
 * position, the frame would need the origin of the dashboard, and the email's images would then be requested with the
 * user's session.
 */
export function SandboxedFrame(props: SandboxedFrameProps) {
  const [shown, setShown] = useState(props.html);
  return (
    <div className="relative h-full">
      {/* Other HTML in the same frame would be a step of the history, which the back button goes through. */}
      {[...new Set([shown, props.html])].map((html) => (
        <Frame key={html} {...props} html={html} isShown={html === shown} onLoaded={() => setShown(html)} />
      ))}
    </div>
  );
}

interface FrameProps extends SandboxedFrameProps {
  isShown: boolean;
  onLoaded: () => void;
}

function Frame({ title, html, className, style, isShown, onLoaded }: FrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [hasFocus, setHasFocus] = useState(false);
  useEffect(() => {
    // A frame matches no focus pseudo-class while the focus is inside its document. In Firefox, it is the active
    // element only after the event.
    const look = () => setTimeout(() => setHasFocus(document.activeElement === frame.current));
    window.addEventListener('blur', look, true);
    window.addEventListener('focus', look, true);
    return () => {
      window.removeEventListener('blur', look, true);
      window.removeEventListener('focus', look, true);
    };
  }, []);
  const loaded = useEffectEvent(onLoaded);
  useEffect(() => {
    const timer = setTimeout(loaded, longestLoadMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <iframe
      ref={frame}
      title={isShown ? title : undefined}
      inert={!isShown}
      onLoad={onLoaded}
      sandbox=""
      srcDoc={html}
      className={classNames(
        className,
        !isShown && 'absolute inset-0 opacity-0',
        hasFocus && 'outline-2 -outline-offset-2 outline-accent',
      )}
      style={style}
    />
  );
}
