# What worlds of free bodies in the plane and in space have in common.
import numpy as np


class FreeBodies:
    """Needs bodies and gravity; `axes`: coordinates of a place."""

    def free(self):
        return [b for b in self.bodies if b.free]

    def isolated(self):
        return not np.any(self.gravity) and all(b.free for b in self.bodies)

    def thinnest(self):
        return min(b.size() for b in self.free())

    def little(self):
        """An energy that is round-off of a body at rest, J."""
        g = float(np.linalg.norm(self.gravity))
        return 1e-9*sum(b.mass for b in self.free())*(g*self.thinnest() + self.thinnest()**2)

    def cone(self):
        """No contact has a larger coefficient of friction than both of its bodies."""
        return max(b.mu for b in self.bodies)

    def round_off(self, q):
        """Of the energies, whose terms are weights times heights, J."""
        g = float(np.linalg.norm(self.gravity))
        return 1e-14*sum(b.mass for b in self.free())*g*self.span(q)

    def span(self, q):
        """How far bodies are from the origin, m."""
        return max(np.abs(q[b.name][:, :self.axes]).max() for b in self.free())
