cat > src/lib.rs <<'E'
//! A stack.

#[derive(Default)]
pub struct Stack<T> {
    items: Vec<T>,
}

impl<T: Clone> Stack<T> {
    pub fn push(&mut self, item: T) {
        self.items.push(item);
    }

    pub fn pop(&mut self) -> Option<T> {
        self.items.pop()
    }

    pub fn peek(&self) -> Option<T> {
        self.items.last().cloned()
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_in_first_out() {
        let mut stack = Stack::default();
        stack.push(1);
        stack.push(2);
        assert_eq!(stack.pop(), Some(2));
        assert_eq!(stack.peek(), Some(1));
    }

    #[test]
    fn empty() {
        let mut stack: Stack<u8> = Stack::default();
        assert_eq!(stack.pop(), None);
        assert_eq!(stack.peek(), None);
    }

    #[test]
    fn length() {
        let mut stack = Stack::default();
        assert!(stack.is_empty());
        stack.push('a');
        assert_eq!(stack.len(), 1);
    }

    #[test]
    fn pops_after_refilling() {
        let mut stack = Stack::default();
        stack.push('a');
        stack.pop();
        stack.push('b');
        assert_eq!(stack.pop(), Some('b'));
    }
}
E
