/** The shape of a conversation that is on its way. */
export function ChatSkeleton() {
  return (
    <div role="status" className="mx-auto min-h-0 w-full max-w-3xl flex-1 space-y-7 px-4 pt-12 sm:px-6">
      <span className="sr-only">Opening the session</span>
      <div className="skeleton ml-auto h-10 w-2/5" />
      <div className="space-y-2.5">
        <div className="skeleton h-4 w-11/12" />
        <div className="skeleton h-4 w-4/5" />
        <div className="skeleton h-4 w-3/5" />
      </div>
      <div className="skeleton h-10 w-full" />
      <div className="skeleton ml-auto h-10 w-1/3" />
    </div>
  );
}
