// --target linux64,win64,win32
namespace text {

enum class Mode : unsigned char { plain, bold };

class Run {
  public:
    Run(const char *start, int length) : start(start), length(length) { }
    Run(const Run &) = default;
    Run &operator=(const Run &other);
    int size() const noexcept { return length; }
    static Run make(int n = 3);

  private:
    const char *start;
    int length = 0;
};

struct Owner {
    Owner(Owner &&other);
    virtual ~Owner();
    Owner(const Owner &) = delete;
    void *data;
};

using Callback = void (*)(Owner &, Run);

}

text::Run operator+(const text::Run &a, text::Run b);

struct Page {
    double width, height;
    text::Run draw(text::Owner by, const text::Run &what, text::Run copy, text::Mode mode, text::Callback done);
};

text::Run Page::draw(text::Owner by, const text::Run &what, text::Run copy, text::Mode mode, text::Callback done)
{
    return copy;
}
