import { TriangleAlert } from "lucide-react";
import { Component, type ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";

/** What is shown instead of a page that could not be drawn. The session itself goes on. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <main className="flex min-h-dvh">
        <EmptyState
          icon={TriangleAlert}
          level="page"
          title="This page broke"
          text="Nothing is lost: sessions go on without it."
        >
          <Button look="primary" onClick={() => location.reload()}>
            Load it again
          </Button>
        </EmptyState>
      </main>
    );
  }
}
